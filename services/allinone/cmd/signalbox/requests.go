package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// request is what the command line shows of a record, by the names of the API.
type request struct {
	ID             string  `json:"id"`
	Time           string  `json:"time"`
	KeyName        string  `json:"key_name"`
	RequestedModel string  `json:"requested_model"`
	Model          *string `json:"model"`
	Provider       *string `json:"provider"`
	Route          *string `json:"route"`
	Outcome        string  `json:"outcome"`
	Status         *int32  `json:"status"`
	Code           *string `json:"code"`
	Error          *string `json:"error"`
	Reason         struct {
		Text string `json:"text"`
		Rule string `json:"rule"`
	} `json:"reason"`
	Tokens   buckets `json:"tokens"`
	Cost     *int64  `json:"cost_nano_usd"`
	Costs    buckets `json:"costs"`
	Baseline struct {
		Model *string `json:"model"`
		Cost  *int64  `json:"cost_nano_usd"`
	} `json:"baseline"`
	Kept     *int64    `json:"kept_nano_usd"`
	Latency  int64     `json:"latency_us"`
	Gateway  int64     `json:"gateway_us"`
	Capture  *string   `json:"capture"`
	Attempts []attempt `json:"attempts"`
}

// buckets are tokens, or what they cost.
type buckets struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
}

type attempt struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Status   *int32  `json:"status"`
	Code     *string `json:"code"`
	Started  int64   `json:"started_us"`
	Ended    int64   `json:"ended_us"`
	Cost     *int64  `json:"cost_nano_usd"`
}

func listRequests(ctx context.Context, c call) error {
	b := newBooks(c)
	var limit int64
	var cursor string
	b.set.Int(&limit, "limit", 20, 1, 200, "how many")
	b.set.Func("cursor", "next_cursor of an answer in JSON, to go on after it", given(&cursor))
	b.which()
	return b.about(ctx, func() error {
		all, err := b.list(ctx, int(limit), cursor)
		if err != nil {
			return err
		}
		rows := [][]string{{"TIME", "ID", "KEY", "ASKED FOR", "SERVED BY", "ROUTE", "OUTCOME", "COST", "KEPT", "LATENCY"}}
		for _, item := range all.Items {
			var r request
			if err := json.Unmarshal(item, &r); err != nil {
				return fmt.Errorf("the dashboard's answer cannot be read: %w", err)
			}
			rows = append(rows, []string{
				r.Time, r.ID, r.KeyName, r.RequestedModel, r.served(), dash(r.Route), r.outcome(), maybeUSD(r.Cost), maybeUSD(r.Kept), span(r.Latency),
			})
		}
		return b.show(all, rows...)
	})
}

// listing is a page of requests, as the API has it.
type listing struct {
	items[json.RawMessage]
	Next *string `json:"next_cursor"`
}

// list goes on until there are so many, or no more: a search that takes long
// answers with what it has found so far.
func (b *books) list(ctx context.Context, limit int, cursor string) (listing, error) {
	all := listing{items[json.RawMessage]{[]json.RawMessage{}}, &cursor}
	for all.Next != nil && len(all.Items) < limit {
		q := b.query()
		q.Set("limit", strconv.Itoa(limit-len(all.Items)))
		q.Set("cursor", *all.Next)
		var page listing
		if err := b.get(ctx, "/requests", q, &page); err != nil {
			return listing{}, err
		}
		all.Items, all.Next = append(all.Items, page.Items...), page.Next
	}
	return all, nil
}

func showRequest(ctx context.Context, c call) error {
	b := newBooks(c)
	var id string
	b.set.Argument(&id, "ID", "its id, which the caller was given as x-request-id")
	b.inAccount("the operator's if not given")
	return b.about(ctx, func() error {
		var answer json.RawMessage
		if err := b.get(ctx, "/requests/"+url.PathEscape(id), nil, &answer); err != nil {
			return err
		}
		var r request
		if err := json.Unmarshal(answer, &r); err != nil {
			return fmt.Errorf("the dashboard's answer cannot be read: %w", err)
		}
		return b.show(answer, r.rows()...)
	})
}

func (r *request) rows() [][]string {
	rows := [][]string{
		{"Request", r.ID}, {"Time", r.Time}, {"Key", r.KeyName}, {"Asked for", r.RequestedModel}, {"Served by", r.served()},
		{"Route", dash(r.Route), r.Reason.Text, r.Reason.Rule}, {"Outcome", r.outcome(), dash(r.Error)},
		{"Tokens", r.Tokens.with(count)}, {"Cost", maybeUSD(r.Cost), r.Costs.with(usd)},
		{"Baseline", maybeUSD(r.Baseline.Cost), dash(r.Baseline.Model)}, {"Kept", maybeUSD(r.Kept)},
		{"Latency", span(r.Latency), "of which here " + span(r.Gateway)}, {"Text kept", dash(r.Capture)},
	}
	if len(r.Attempts) > 0 {
		rows = append(rows, []string{}, []string{"ATTEMPT", "STARTED", "TOOK", "STATUS", "COST"})
	}
	for _, a := range r.Attempts {
		rows = append(rows, []string{a.Provider + "/" + a.Model, span(a.Started), span(a.Ended - a.Started), answered(a.Status, a.Code), maybeUSD(a.Cost)})
	}
	return rows
}

func (r *request) served() string {
	if r.Model == nil {
		return "-"
	}
	return dash(r.Provider) + "/" + dash(r.Model)
}

func (r *request) outcome() string {
	return strings.TrimSpace(r.Outcome + " " + answered(r.Status, r.Code))
}

func (b buckets) with(show func(int64) string) string {
	return fmt.Sprintf("input %s, cache read %s, cache write %s, output %s", show(b.Input), show(b.CacheRead), show(b.CacheWrite), show(b.Output))
}

func answered(status *int32, code *string) string {
	var parts []string
	if status != nil {
		parts = append(parts, count(int64(*status)))
	}
	if code != nil {
		parts = append(parts, *code)
	}
	return strings.Join(parts, " ")
}

func dash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

func span(us int64) string { return (time.Duration(us) * time.Microsecond).String() }
