package policies

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

type replayJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Version is the policy version that made the replayed decisions; null if
	// nothing was replayed.
	Version *string `json:"policy_version"`
	// Skipped counts the records that do not contain the inputs of the decision.
	Skipped int64 `json:"skipped"`
	// Truncated is true if there are older records that the replay did not read.
	Truncated bool `json:"truncated"`
	replaySums
	Routes   []replayGroup `json:"routes"`
	Models   []replayGroup `json:"models"`
	Keys     []replayGroup `json:"keys"`
	Costlier []replayRow   `json:"costlier"`
}

type replaySums struct {
	Requests   int64 `json:"requests"`
	Rerouted   int64 `json:"rerouted"`
	Refused    int64 `json:"refused"`
	Served     int64 `json:"served"`
	Before     int64 `json:"before_nano_usd"`
	After      int64 `json:"after_nano_usd"`
	Difference int64 `json:"difference_nano_usd"`
	Unpriced   int64 `json:"unpriced"`
	// Quality is the mean change of the quality per request, in thousandths. It is
	// null if no request has both values.
	Quality *int64 `json:"quality_difference"`
	// Latency is the mean change of the time to the first token per request, in
	// microseconds. It is null if no request has both values.
	Latency *int64 `json:"latency_difference_us"`
}

type replayGroup struct {
	Group *string `json:"group"`
	Name  *string `json:"name"`
	Other bool    `json:"other"`
	replaySums
}

type replayRow struct {
	ID         string         `json:"id"`
	Route      string         `json:"route"`
	KeyID      string         `json:"key_id"`
	Difference int64          `json:"difference_nano_usd"`
	Before     replayDecision `json:"before"`
	After      replayDecision `json:"after"`
}

type replayDecision struct {
	Model    string `json:"model"`
	Provider string `json:"provider"`
	// Effort is the reasoning effort; null if the candidate has none.
	Effort  *string `json:"effort"`
	Cost    *int64  `json:"cost_nano_usd"`
	Quality int64   `json:"quality"`
	Latency int64   `json:"latency_us"`
	Reason  string  `json:"reason"`
}

func toReplayJSON(q record.Query, p *replayRun, truncated bool) *replayJSON {
	r := &p.report
	out := &replayJSON{
		From: jsonvalue.FormatTime(q.From), To: jsonvalue.FormatTime(q.To), Version: jsonvalue.NullIfZero(p.version), Skipped: r.Skipped, Truncated: truncated,
		replaySums: toReplaySums(&r.Sums), Costlier: []replayRow{},
		Routes: toReplayGroups(r.Routes()), Models: toReplayGroups(r.Models()), Keys: toReplayGroups(r.Keys()),
	}
	for _, row := range r.Losers {
		out.Costlier = append(out.Costlier, replayRow{
			ID: row.ID, Route: row.Route, KeyID: row.Key, Difference: *row.After.Cost - *row.Before.Cost,
			Before: toReplayDecision(row.Before), After: toReplayDecision(row.After),
		})
	}
	return out
}

func toReplaySums(s *replay.Sums) replaySums {
	return replaySums{
		Requests: s.Requests, Rerouted: s.Flips, Refused: s.Refused, Served: s.Served,
		Before: s.Before, After: s.After, Difference: s.Difference(), Unpriced: s.Unpriced,
		Quality: meanOrNull(s.Quality), Latency: meanOrNull(s.Latency),
	}
}

func meanOrNull(c replay.Change) *int64 {
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
		out[i] = replayGroup{Group: jsonvalue.NullIfZero(g.ID), Name: jsonvalue.NullIfZero(g.Name), Other: g.Other, replaySums: toReplaySums(&g.Sums)}
	}
	return out
}

func toReplayDecision(s replay.Decision) replayDecision {
	return replayDecision{
		Model: s.Candidate.Model, Provider: s.Candidate.Provider, Effort: jsonvalue.NullIfZero(s.Candidate.Effort), Cost: s.Cost, Quality: s.Quality, Latency: s.Latency, Reason: s.Reason,
	}
}
