package web

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

// replayJSON is what a replay found.
type replayJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Version is what it was decided by; null when nothing could be.
	Version *string `json:"policy_version"`
	// Skipped are records that do not have what a decision is made from, and
	// Truncated tells that there are older ones that were not read.
	Skipped   int64 `json:"skipped"`
	Truncated bool  `json:"truncated"`
	replaySums
	Routes []replayGroup `json:"routes"`
	Models []replayGroup `json:"models"`
	Keys   []replayGroup `json:"keys"`
	Losers []replayRow   `json:"losers"`
}

type replaySums struct {
	Requests   int64 `json:"requests"`
	Flips      int64 `json:"flips"`
	Refused    int64 `json:"refused"`
	Served     int64 `json:"served"`
	Before     int64 `json:"before_nano_usd"`
	After      int64 `json:"after_nano_usd"`
	Difference int64 `json:"difference_nano_usd"`
	Unpriced   int64 `json:"unpriced"`
	// Quality is in thousandths, and both are a request's on average; null where
	// of none both sides are known.
	Quality *int64 `json:"quality_difference"`
	Latency *int64 `json:"latency_difference_us"`
}

type replayGroup struct {
	Group *string `json:"group"`
	Name  *string `json:"name"`
	Other bool    `json:"other"`
	replaySums
}

type replayRow struct {
	ID         string     `json:"id"`
	Route      string     `json:"route"`
	KeyID      string     `json:"key_id"`
	Difference int64      `json:"difference_nano_usd"`
	Before     replaySide `json:"before"`
	After      replaySide `json:"after"`
}

type replaySide struct {
	Model    string `json:"model"`
	Provider string `json:"provider"`
	Cost     *int64 `json:"cost_nano_usd"`
	Quality  int64  `json:"quality"`
	Latency  int64  `json:"latency_us"`
	Reason   string `json:"reason"`
}

func toReplayJSON(q record.Query, p *replaying, truncated bool) *replayJSON {
	r := &p.report
	out := &replayJSON{
		From: timeText(q.From), To: timeText(q.To), Version: orNull(p.version), Skipped: r.Skipped, Truncated: truncated,
		replaySums: toReplaySums(&r.Sums), Losers: []replayRow{},
		Routes: toReplayGroups(r.Routes()), Models: toReplayGroups(r.Models()), Keys: toReplayGroups(r.Keys()),
	}
	for _, row := range r.Losers {
		out.Losers = append(out.Losers, replayRow{
			ID: row.ID, Route: row.Route, KeyID: row.Key, Difference: *row.After.Cost - *row.Before.Cost,
			Before: toReplaySide(row.Before), After: toReplaySide(row.After),
		})
	}
	return out
}

func toReplaySums(s *replay.Sums) replaySums {
	return replaySums{
		Requests: s.Requests, Flips: s.Flips, Refused: s.Refused, Served: s.Served,
		Before: s.Before, After: s.After, Difference: s.Difference(), Unpriced: s.Unpriced,
		Quality: mean(s.Quality), Latency: mean(s.Latency),
	}
}

func mean(c replay.Change) *int64 {
	if c.Requests == 0 {
		return nil
	}
	n := c.Mean()
	return &n
}

func toReplayGroups(all []replay.Group) []replayGroup {
	out := make([]replayGroup, len(all))
	for i := range all {
		g := &all[i]
		out[i] = replayGroup{Group: orNull(g.ID), Name: orNull(g.Name), Other: g.Other, replaySums: toReplaySums(&g.Sums)}
	}
	return out
}

func toReplaySide(s replay.Side) replaySide {
	return replaySide{
		Model: s.Target.Model, Provider: s.Target.Provider, Cost: s.Cost, Quality: s.Quality, Latency: s.Latency, Reason: s.Reason,
	}
}
