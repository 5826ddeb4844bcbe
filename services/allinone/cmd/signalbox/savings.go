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

// sums is how records add up, in nano-USD, with the names of the API.
type sums struct {
	Requests int64 `json:"requests"`
	Routed   int64 `json:"routed_nano_usd"`
	Baseline int64 `json:"baseline_nano_usd"`
	Kept     int64 `json:"kept_nano_usd"`
	Unpriced int64 `json:"unpriced"`
}

type impact struct {
	From string  `json:"from"`
	To   *string `json:"to"`
	sums
	Groups []struct {
		Group *string `json:"group"`
		Name  *string `json:"name"`
		Other bool    `json:"other"`
		sums
	} `json:"groups"`
}

// savings prints what requests cost, what they would have cost at the baseline,
// and the difference, which may be negative and is then shown so.
func savings(ctx context.Context, c call) error {
	b := newBooks(c)
	var by string
	b.set.Func("by", "break it down: model, provider, key, day, route, requested_model or code", given(&by))
	b.which()
	return b.about(ctx, func() error {
		q := b.query()
		if by != "" {
			q.Set("group_by", by)
		}
		var answer json.RawMessage
		if err := b.get(ctx, "/impact", q, &answer); err != nil {
			return err
		}
		var i impact
		if err := json.Unmarshal(answer, &i); err != nil {
			return fmt.Errorf("the dashboard's answer cannot be read: %w", err)
		}
		return b.show(answer, report(&i, by)...)
	})
}

func report(i *impact, by string) [][]string {
	until := "now"
	if i.To != nil {
		until = *i.To
	}
	rows := [][]string{
		{"From", i.From}, {"To", until}, {"Requests", count(i.Requests)},
		{"Routed", usd(i.Routed)}, {"Baseline", usd(i.Baseline)}, {"Kept", usd(i.Kept), percent(i.sums)},
		{"Unpriced", count(i.Unpriced), "requests without a known price, in no sum that needs it"},
	}
	if by == "" {
		return rows
	}
	rows = append(rows, []string{}, []string{strings.ToUpper(by), "REQUESTS", "ROUTED", "BASELINE", "KEPT", "%", "UNPRICED"})
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
			name, count(g.Requests), usd(g.Routed), usd(g.Baseline), usd(g.Kept), percent(g.sums), count(g.Unpriced),
		})
	}
	return rows
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

// usd is exact: every nano-dollar is shown.
func usd(nano int64) string {
	if text, negative := strings.CutPrefix(catalog.USD(nano), "-"); negative {
		return "-$" + text
	}
	return "$" + catalog.USD(nano)
}

// maybeUSD is for an amount that may be unknown.
func maybeUSD(nano *int64) string {
	if nano == nil {
		return "unpriced"
	}
	return usd(*nano)
}

// percent is how much of the baseline was kept.
func percent(s sums) string {
	if s.Baseline == 0 {
		return "-"
	}
	return cmp.Or(strings.TrimSuffix(fmt.Sprintf("%.1f", 100*float64(s.Kept)/float64(s.Baseline)), ".0"), "0") + "%"
}
