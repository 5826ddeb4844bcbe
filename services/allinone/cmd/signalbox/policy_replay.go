package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// replaySums is how replayed requests add up, with the names of the API.
type replaySums struct {
	Requests   int64  `json:"requests"`
	Flips      int64  `json:"flips"`
	Refused    int64  `json:"refused"`
	Served     int64  `json:"served"`
	Before     int64  `json:"before_nano_usd"`
	After      int64  `json:"after_nano_usd"`
	Difference int64  `json:"difference_nano_usd"`
	Unpriced   int64  `json:"unpriced"`
	Quality    *int64 `json:"quality_difference"`
	Latency    *int64 `json:"latency_difference_us"`
}

type replayGroup struct {
	Group *string `json:"group"`
	Name  *string `json:"name"`
	Other bool    `json:"other"`
	replaySums
}

type replayed struct {
	From      string  `json:"from"`
	To        string  `json:"to"`
	Version   *string `json:"policy_version"`
	Skipped   int64   `json:"skipped"`
	Truncated bool    `json:"truncated"`
	replaySums
	Routes []replayGroup `json:"routes"`
	Models []replayGroup `json:"models"`
	Keys   []replayGroup `json:"keys"`
	Losers []struct {
		ID            string `json:"id"`
		Difference    int64  `json:"difference_nano_usd"`
		Before, After struct {
			Model    string `json:"model"`
			Provider string `json:"provider"`
		}
	} `json:"losers"`
}

// replayPolicy tells what a policy file would have made of recorded requests.
func replayPolicy(ctx context.Context, c call) error {
	b := newBooks(c)
	var draft, filter string
	var days int64
	b.set.Func("draft", "decide by this policy file instead of the version in force", given(&draft))
	b.set.Int(&days, "days", 7, 1, 366, "how many days to go back")
	b.set.Func("filter", "which records, such as 'model:small route:fallback'", given(&filter))
	b.inAccount("the operator's if not given")
	return b.about(ctx, func() (err error) {
		ask := map[string]string{"filter": filter, "from": time.Now().UTC().AddDate(0, 0, -int(days)).Format(time.RFC3339)}
		if draft != "" {
			if ask["document"], err = c.read(draft); err != nil {
				return err
			}
		}
		body, err := json.Marshal(ask)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, replayLimit)
		defer cancel()
		var answer json.RawMessage
		if err := b.ask(ctx, http.MethodPost, "/policy/replay", string(body), &answer); err != nil {
			return err
		}
		var r replayed
		if err := json.Unmarshal(answer, &r); err != nil {
			return fmt.Errorf("the dashboard's answer cannot be read: %w", err)
		}
		return b.show(answer, replayRows(&r)...)
	})
}

func replayRows(r *replayed) [][]string {
	rows := [][]string{
		{"From", r.From}, {"To", r.To}, {"Requests", count(r.Requests)},
		{"Flips", count(r.Flips), "would have gone elsewhere"},
		{"Refused", count(r.Refused), "would no longer be served"}, {"Served", count(r.Served), "were refused, and would be"},
		{"Before", usd(r.Before)}, {"After", usd(r.After)}, {"Difference", usd(r.Difference)},
		{"Quality", change(r.Quality, 1000, ""), "of a request on average"}, {"First token", change(r.Latency, 1000, " ms"), "of a request on average"},
		{"Unpriced", count(r.Unpriced), "without a known price, in no sum"}, {"Skipped", count(r.Skipped), "without what a decision is made from"},
	}
	if r.Truncated {
		rows = append(rows, []string{"There are older records that were not read."})
	}
	rows = append(rows, replayTable("ROUTE", r.Routes)...)
	rows = append(rows, replayTable("MODEL", r.Models)...)
	rows = append(rows, replayTable("KEY", r.Keys)...)
	if len(r.Losers) > 0 {
		rows = append(rows, []string{}, []string{"DEARER", "DIFFERENCE", "FROM", "TO"})
	}
	for _, l := range r.Losers {
		rows = append(rows, []string{l.ID, usd(l.Difference), l.Before.Model + "@" + l.Before.Provider, l.After.Model + "@" + l.After.Provider})
	}
	return rows
}

func replayTable(head string, all []replayGroup) [][]string {
	rows := [][]string{{}, {head, "REQUESTS", "FLIPS", "BEFORE", "AFTER", "DIFFERENCE"}}
	for _, g := range all {
		name := "(none)"
		switch {
		case g.Other:
			name = "(all others)"
		case g.Group != nil && g.Name != nil:
			name = *g.Name + " (" + *g.Group + ")"
		case g.Group != nil:
			name = *g.Group
		}
		rows = append(rows, []string{name, count(g.Requests), count(g.Flips), usd(g.Before), usd(g.After), usd(g.Difference)})
	}
	return rows
}

// change is a difference in parts of a unit, or that it is not known.
func change(n *int64, parts float64, unit string) string {
	if n == nil {
		return "unknown"
	}
	return strconv.FormatFloat(float64(*n)/parts, 'f', -1, 64) + unit
}
