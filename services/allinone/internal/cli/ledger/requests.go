package ledger

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/explain"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// requestView holds the fields of a record that the command line shows. It uses the JSON format of the API.
type requestView struct {
	ID             string  `json:"id"`
	Time           string  `json:"time"`
	KeyName        string  `json:"key_name"`
	RequestedModel string  `json:"requested_model"`
	Model          *string `json:"model"`
	Provider       *string `json:"provider"`
	Effort         string  `json:"effort"`
	Route          *string `json:"route"`
	Outcome        string  `json:"outcome"`
	Status         *int32  `json:"status"`
	Code           *string `json:"code"`
	Error          *string `json:"error"`
	Reason         struct {
		Text string `json:"text"`
		Rule string `json:"rule"`
	} `json:"reason"`
	Tokens   tokenBuckets `json:"tokens"`
	Cost     *int64       `json:"cost_nano_usd"`
	Costs    tokenBuckets `json:"costs"`
	Baseline struct {
		Model *string `json:"model"`
		Cost  *int64  `json:"cost_nano_usd"`
	} `json:"baseline"`
	Saved    *int64        `json:"saved_nano_usd"`
	Latency  int64         `json:"latency_us"`
	Gateway  int64         `json:"gateway_us"`
	Capture  *string       `json:"capture"`
	Attempts []attemptView `json:"attempts"`
	workView
	// Explanation is nil in lists, and for requests without a decision.
	Explanation *explain.Explanation `json:"explanation"`
	Candidates  []candidateView      `json:"candidates"`
}

// tokenBuckets holds tokens, or their cost in nano-USD.
type tokenBuckets struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
}

type attemptView struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Effort   string  `json:"effort"`
	Status   *int32  `json:"status"`
	Code     *string `json:"code"`
	Started  int64   `json:"started_us"`
	Ended    int64   `json:"ended_us"`
	Cost     *int64  `json:"cost_nano_usd"`
}

func listRequests(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	var limit int64
	var cursor string
	b.Flags.Int(&limit, "limit", 20, 1, 200, "maximum number of requests")
	b.Flags.Func("cursor", "value of next_cursor in an earlier --json output; continues after that output", cli.NonEmpty(&cursor))
	b.addRecordFlags()
	return b.RunForAccount(ctx, func() error {
		all, err := b.fetchRequests(ctx, int(limit), cursor)
		if err != nil {
			return err
		}
		rows := [][]string{{"TIME", "ID", "KEY", "REQUESTED", "SERVED BY", "ROUTE", "OUTCOME", "COST", "SAVED", "LATENCY"}}
		for _, item := range all.Items {
			r := &item.Value
			rows = append(rows, []string{
				r.Time, r.ID, r.KeyName, r.RequestedModel, r.servedBy(), cli.DashIfNil(r.Route), r.formatOutcome(), cli.FormatOptionalUSD(r.Cost), cli.FormatOptionalUSD(r.Saved), formatMicros(r.Latency),
			})
		}
		return b.PrintResult(all, rows...)
	})
}

type requestPage struct {
	cli.List[remote.Response[requestView]]
	Next *string `json:"next_cursor"`
}

// fetchRequests reads pages until it has limit requests or no more exist. One page may
// be short, because the dashboard stops a slow search early.
func (b *ledgerCommand) fetchRequests(ctx context.Context, limit int, cursor string) (requestPage, error) {
	all := requestPage{Next: &cursor}
	all.Items = []remote.Response[requestView]{}
	for all.Next != nil && len(all.Items) < limit {
		q := b.recordQuery()
		q.Set("limit", strconv.Itoa(limit-len(all.Items)))
		q.Set("cursor", *all.Next)
		var page requestPage
		if err := b.GetJSON(ctx, "/requests", q, &page); err != nil {
			return requestPage{}, err
		}
		all.Items, all.Next = append(all.Items, page.Items...), page.Next
	}
	return all, nil
}

func showRequest(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	var id string
	b.Flags.Argument(&id, "ID", "request id; clients receive it as x-request-id")
	b.AddAccountFlag("default: the operator's account")
	return b.RunForAccount(ctx, func() error {
		var response remote.Response[requestView]
		if err := b.GetJSON(ctx, "/requests/"+url.PathEscape(id), nil, &response); err != nil {
			return err
		}
		return b.PrintResult(response, response.Value.tableRows()...)
	})
}

func (r *requestView) tableRows() [][]string {
	rows := [][]string{
		{"Request", r.ID}, {"Time", r.Time}, {"Key", r.KeyName}, {"Requested", r.RequestedModel}, {"Served by", r.servedBy()},
		{"Route", cli.DashIfNil(r.Route), r.Reason.Text, r.Reason.Rule}, {"Outcome", r.formatOutcome(), cli.DashIfNil(r.Error)},
		{"Tokens", r.Tokens.format(cli.FormatCount)}, {"Cost", cli.FormatOptionalUSD(r.Cost), r.Costs.format(cli.FormatUSD)},
		{"Baseline", cli.FormatOptionalUSD(r.Baseline.Cost), cli.DashIfNil(r.Baseline.Model)}, {"Saved", cli.FormatOptionalUSD(r.Saved)},
		{"Latency", formatMicros(r.Latency), "gateway " + formatMicros(r.Gateway)}, {"Capture", cli.DashIfNil(r.Capture)},
	}
	rows = append(rows, r.workRows()...)
	rows = append(rows, r.decisionRows()...)
	if len(r.Attempts) > 0 {
		rows = append(rows, []string{}, []string{"ATTEMPT", "STARTED", "DURATION", "STATUS", "COST"})
	}
	for _, a := range r.Attempts {
		rows = append(rows, []string{policy.JoinEffort(a.Provider+"/"+a.Model, a.Effort), formatMicros(a.Started), formatMicros(a.Ended - a.Started), formatStatus(a.Status, a.Code), cli.FormatOptionalUSD(a.Cost)})
	}
	return rows
}

func (r *requestView) servedBy() string {
	if r.Model == nil {
		return "-"
	}
	return policy.JoinEffort(cli.DashIfNil(r.Provider)+"/"+cli.DashIfNil(r.Model), r.Effort)
}

func (r *requestView) formatOutcome() string {
	return strings.TrimSpace(r.Outcome + " " + formatStatus(r.Status, r.Code))
}

func (b tokenBuckets) format(show func(int64) string) string {
	return fmt.Sprintf("input %s, cache read %s, cache write %s, output %s", show(b.Input), show(b.CacheRead), show(b.CacheWrite), show(b.Output))
}

func formatStatus(status *int32, code *string) string {
	var parts []string
	if status != nil {
		parts = append(parts, cli.FormatCount(int64(*status)))
	}
	if code != nil {
		parts = append(parts, *code)
	}
	return strings.Join(parts, " ")
}

func formatMicros(us int64) string { return (time.Duration(us) * time.Microsecond).String() }
