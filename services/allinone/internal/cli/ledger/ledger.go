package ledger

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// recordCounts counts the records that proxies sent, by what happened to them.
type recordCounts struct {
	Sent        int64 `json:"sent"`
	Stored      int64 `json:"stored"`
	InFlight    int64 `json:"in_flight"`
	Missing     int64 `json:"missing"`
	Lost        int64 `json:"lost"`
	DeadLetters int64 `json:"dead_letters"`
}

type producerCounts struct {
	Producer string  `json:"producer"`
	Host     *string `json:"host"`
	LastSeen *string `json:"last_seen"`
	recordCounts
	Gaps []struct {
		First uint64 `json:"first"`
		Last  uint64 `json:"last"`
	} `json:"gaps"`
}

// showCompleteness compares the records that were sent with the records that are
// stored. If records are missing or lost, it returns an error, so that scripts can
// detect this.
func showCompleteness(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	return b.RunWithDashboard(ctx, func() error {
		var response remote.Response[struct {
			recordCounts
			Producers []producerCounts `json:"producers"`
		}]
		if err := b.GetJSON(ctx, "/completeness", nil, &response); err != nil {
			return err
		}
		all := response.Value
		rows := [][]string{{"PRODUCER", "HOST", "LAST SEEN", "SENT", "STORED", "IN FLIGHT", "MISSING", "LOST", "DEAD LETTERS", "GAPS"}}
		for _, p := range all.Producers {
			rows = append(rows, append(append([]string{p.Producer, cli.DashIfNil(p.Host), cli.DashIfNil(p.LastSeen)}, p.columns()...), p.formatGaps()))
		}
		rows = append(rows, append([]string{"all", "", ""}, all.columns()...))
		if err := b.PrintResult(response, rows...); err != nil {
			return err
		}
		if missing := all.Missing + all.Lost; missing > 0 {
			return fmt.Errorf("missing or lost: %s", cli.CountNoun(missing, "record"))
		}
		return nil
	})
}

func (m recordCounts) columns() []string {
	return []string{cli.FormatCount(m.Sent), cli.FormatCount(m.Stored), cli.FormatCount(m.InFlight), cli.FormatCount(m.Missing), cli.FormatCount(m.Lost), cli.FormatCount(m.DeadLetters)}
}

func (p *producerCounts) formatGaps() string {
	var all []string
	for _, g := range p.Gaps {
		all = append(all, fmt.Sprintf("%d-%d", g.First, g.Last))
	}
	return strings.Join(all, " ")
}

type deadLetter struct {
	Producer   string `json:"producer"`
	Seq        int64  `json:"seq"`
	ReceivedAt string `json:"received_at"`
	Reason     string `json:"reason"`
	Parked     bool   `json:"parked"`
	Bytes      int64  `json:"bytes"`
}

func listDeadLetters(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	var limit int64
	b.Flags.Int(&limit, "limit", 50, 1, 200, "maximum number of dead letters")
	return b.RunWithDashboard(ctx, func() error {
		var response remote.Response[cli.List[deadLetter]]
		if err := b.GetJSON(ctx, "/dead-letters", url.Values{"limit": {cli.FormatCount(limit)}}, &response); err != nil {
			return err
		}
		rows := [][]string{{"PRODUCER", "NUMBER", "RECEIVED", "BYTES", "REASON", ""}}
		for _, d := range response.Value.Items {
			parked := ""
			if d.Parked {
				parked = "waits for a newer version of Signalbox"
			}
			rows = append(rows, []string{d.Producer, cli.FormatCount(d.Seq), d.ReceivedAt, cli.FormatCount(d.Bytes), d.Reason, parked})
		}
		return b.PrintResult(response, rows...)
	})
}

func replayDeadLetters(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	var all bool
	b.Flags.Bool(&all, "all", false, "include damaged records; by default, only records that need a newer version are tried")
	return b.RunWithDashboard(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, remote.ReplayTimeout)
		defer cancel()
		var did struct {
			Done int64 `json:"done"`
			Left int64 `json:"left"`
		}
		if err := b.CallJSON(ctx, http.MethodPost, "/dead-letters/replay", fmt.Sprintf(`{"all":%t}`, all), &did); err != nil {
			return err
		}
		return b.PrintResult(did, []string{"Stored", cli.FormatCount(did.Done)}, []string{"Remaining", cli.FormatCount(did.Left)})
	})
}
