package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
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
		Group *string `json:"group"`
		Name  *string `json:"name"`
		Other bool    `json:"other"`
		costSums
	} `json:"groups"`
}

// showSavings prints the routed cost, the baseline cost and the savings. The savings may
// be negative.
func showSavings(ctx context.Context, c invocation) error {
	b := newLedgerCommand(c)
	var by string
	b.set.Func("by", "group by model, provider, key, day, route, requested_model or code", nonEmpty(&by))
	b.addRecordFlags()
	return b.runForAccount(ctx, func() error {
		q := b.recordQuery()
		if by != "" {
			q.Set("group_by", by)
		}
		var response json.RawMessage
		if err := b.getJSON(ctx, "/impact", q, &response); err != nil {
			return err
		}
		var i impactReport
		if err := json.Unmarshal(response, &i); err != nil {
			return fmt.Errorf("decode the dashboard's response: %w", err)
		}
		return b.printResult(response, savingsRows(&i, by)...)
	})
}

func savingsRows(i *impactReport, by string) [][]string {
	until := "now"
	if i.To != nil {
		until = *i.To
	}
	rows := [][]string{
		{"From", i.From}, {"To", until}, {"Requests", formatCount(i.Requests)},
		{"Routed cost", formatUSD(i.Routed)}, {"Baseline cost", formatUSD(i.Baseline)}, {"Saved", formatUSD(i.Saved), formatSavedPercent(i.costSums)},
		{"Unpriced", formatCount(i.Unpriced), "requests without a known price; not in the costs"},
	}
	if by == "" {
		return rows
	}
	rows = append(rows, []string{}, []string{strings.ToUpper(by), "REQUESTS", "ROUTED", "BASELINE", "SAVED", "%", "UNPRICED"})
	for _, g := range i.Groups {
		name := "(none)"
		switch {
		case g.Other:
			name = "(all others)"
		case g.Group != nil && g.Name != nil:
			name = *g.Name + " (" + *g.Group + ")"
		case g.Group != nil:
			name = *g.Group
		}
		rows = append(rows, []string{
			name, formatCount(g.Requests), formatUSD(g.Routed), formatUSD(g.Baseline), formatUSD(g.Saved), formatSavedPercent(g.costSums), formatCount(g.Unpriced),
		})
	}
	return rows
}

func formatCount(n int64) string { return strconv.FormatInt(n, 10) }

// formatUSD formats nano-USD exactly, without rounding.
func formatUSD(nano int64) string {
	if text, negative := strings.CutPrefix(catalog.FormatUSD(nano), "-"); negative {
		return "-$" + text
	}
	return "$" + catalog.FormatUSD(nano)
}

func formatOptionalUSD(nano *int64) string {
	if nano == nil {
		return "unpriced"
	}
	return formatUSD(*nano)
}

// formatSavedPercent returns the savings as a percentage of the baseline cost.
func formatSavedPercent(s costSums) string {
	if s.Baseline == 0 {
		return "-"
	}
	return cmp.Or(strings.TrimSuffix(fmt.Sprintf("%.1f", 100*float64(s.Saved)/float64(s.Baseline)), ".0"), "0") + "%"
}
