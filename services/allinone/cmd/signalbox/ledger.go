package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// meter is what became of the records that proxies have sent.
type meter struct {
	Sent        int64 `json:"sent"`
	Stored      int64 `json:"stored"`
	InFlight    int64 `json:"in_flight"`
	Missing     int64 `json:"missing"`
	Lost        int64 `json:"lost"`
	DeadLetters int64 `json:"dead_letters"`
}

type producer struct {
	Producer string  `json:"producer"`
	Host     *string `json:"host"`
	LastSeen *string `json:"last_seen"`
	meter
	Gaps []struct {
		First uint64 `json:"first"`
		Last  uint64 `json:"last"`
	} `json:"gaps"`
}

// completeness holds what was sent against what is stored. It fails when
// something is missing, for scripts.
func completeness(ctx context.Context, c call) error {
	b := newBooks(c)
	return b.with(ctx, func() error {
		var answer json.RawMessage
		if err := b.get(ctx, "/completeness", nil, &answer); err != nil {
			return err
		}
		var all struct {
			meter
			Producers []producer `json:"producers"`
		}
		if err := json.Unmarshal(answer, &all); err != nil {
			return fmt.Errorf("the dashboard's answer cannot be read: %w", err)
		}
		rows := [][]string{{"PRODUCER", "HOST", "LAST SEEN", "SENT", "STORED", "IN FLIGHT", "MISSING", "LOST", "DEAD LETTERS", "GAPS"}}
		for _, p := range all.Producers {
			rows = append(rows, append(append([]string{p.Producer, dash(p.Host), dash(p.LastSeen)}, p.cells()...), p.gaps()))
		}
		rows = append(rows, append([]string{"all", "", ""}, all.cells()...))
		if err := b.show(answer, rows...); err != nil {
			return err
		}
		if missing := all.Missing + all.Lost; missing > 0 {
			return fmt.Errorf("%d records are missing", missing)
		}
		return nil
	})
}

func (m meter) cells() []string {
	return []string{count(m.Sent), count(m.Stored), count(m.InFlight), count(m.Missing), count(m.Lost), count(m.DeadLetters)}
}

func (p *producer) gaps() string {
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

// deadLetters lists the newest of what was stored without being understood.
func deadLetters(ctx context.Context, c call) error {
	b := newBooks(c)
	var limit int64
	b.set.Int(&limit, "limit", 50, 1, 200, "how many")
	return b.with(ctx, func() error {
		var answer json.RawMessage
		if err := b.get(ctx, "/dead-letters", url.Values{"limit": {count(limit)}}, &answer); err != nil {
			return err
		}
		var all items[deadLetter]
		if err := json.Unmarshal(answer, &all); err != nil {
			return fmt.Errorf("the dashboard's answer cannot be read: %w", err)
		}
		rows := [][]string{{"PRODUCER", "NUMBER", "RECEIVED", "BYTES", "REASON", ""}}
		for _, d := range all.Items {
			parked := ""
			if d.Parked {
				parked = "parked until it is understood"
			}
			rows = append(rows, []string{d.Producer, count(d.Seq), d.ReceivedAt, count(d.Bytes), d.Reason, parked})
		}
		return b.show(answer, rows...)
	})
}

// replayLimit is above what the dashboard itself takes for it at most.
const replayLimit = 90 * time.Second

// replay tries dead letters again.
func replay(ctx context.Context, c call) error {
	b := newBooks(c)
	var all bool
	b.set.Bool(&all, "all", false, "also those that are broken, not only those of an unknown version")
	return b.with(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, replayLimit)
		defer cancel()
		var did struct {
			Done int64 `json:"done"`
			Left int64 `json:"left"`
		}
		if err := b.ask(ctx, http.MethodPost, "/dead-letters/replay", fmt.Sprintf(`{"all":%t}`, all), &did); err != nil {
			return err
		}
		return b.show(did, []string{"Stored", count(did.Done)}, []string{"Left", count(did.Left)})
	})
}
