package ledger

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// costSums holds the totals of records, in the JSON format of the API. Amounts are in nano-USD.
type costSums struct {
	Requests int64 `json:"requests"`
	Routed   int64 `json:"routed_nano_usd"`
	Baseline int64 `json:"baseline_nano_usd"`
	Saved    int64 `json:"saved_nano_usd"`
	Unpriced int64 `json:"unpriced"`
}

type impactReport struct {
	From string  `json:"from"`
	To   *string `json:"to"`
	costSums
	Groups []struct {
		cli.Group
		costSums
	} `json:"groups"`
}

// showSavings prints the routed cost, the baseline cost and the savings. The savings may
// be negative.
func showSavings(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	var by string
	b.Flags.Func("by", "group by model, provider, key, day, route, requested_model, code, protocol, agent, session, user, tag, rule, endpoint or meta.NAME", cli.NonEmpty(&by))
	b.addRecordFlags()
	return b.RunForAccount(ctx, func() error {
		q := b.recordQuery()
		if by != "" {
			q.Set("group_by", by)
		}
		var response remote.Response[impactReport]
		if err := b.GetJSON(ctx, "/impact", q, &response); err != nil {
			return err
		}
		return b.PrintResult(response, savingsRows(&response.Value, by)...)
	})
}

func savingsRows(i *impactReport, by string) [][]string {
	until := "now"
	if i.To != nil {
		until = *i.To
	}
	rows := [][]string{
		{"From", i.From}, {"To", until}, {"Requests", cli.FormatCount(i.Requests)},
		{"Routed cost", cli.FormatUSD(i.Routed)}, {"Baseline cost", cli.FormatUSD(i.Baseline)}, {"Saved", cli.FormatUSD(i.Saved), formatSavedPercent(i.costSums)},
		{"Unpriced", cli.FormatCount(i.Unpriced), "requests without a known price; not in the costs"},
	}
	if by == "" {
		return rows
	}
	rows = append(rows, []string{}, []string{strings.ToUpper(by), "REQUESTS", "ROUTED", "BASELINE", "SAVED", "%", "UNPRICED"})
	for _, g := range i.Groups {
		rows = append(rows, []string{
			g.Label(), cli.FormatCount(g.Requests), cli.FormatUSD(g.Routed), cli.FormatUSD(g.Baseline), cli.FormatUSD(g.Saved), formatSavedPercent(g.costSums), cli.FormatCount(g.Unpriced),
		})
	}
	return rows
}

// formatSavedPercent returns the savings as a percentage of the baseline cost.
func formatSavedPercent(s costSums) string {
	if s.Baseline == 0 {
		return "-"
	}
	return cmp.Or(strings.TrimSuffix(fmt.Sprintf("%.1f", 100*float64(s.Saved)/float64(s.Baseline)), ".0"), "0") + "%"
}
