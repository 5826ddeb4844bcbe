package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/rollout"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
)

// The sides of a rollout in the tables.
const (
	sideStable    = "stable"
	sideCandidate = "candidate"
)

var rolloutTable = newRolloutTable()

func newRolloutTable() bulk.Table {
	t := bulk.Table{Name: "rollout_sums", Key: "rollout, share, side", Columns: []bulk.Column{
		bulk.Text("rollout"), bulk.Int("share"), bulk.Text("side"),
		bulk.Int("requests"), bulk.Int("failures"), bulk.Int("responses"),
		bulk.Int("latency_count"), bulk.Float("latency_sum"), bulk.Float("latency_squares"),
		bulk.Int("cost_count"), bulk.Float("cost_sum"), bulk.Float("cost_squares"),
	}}
	var add []string
	for _, c := range t.Columns[3:] {
		add = append(add, fmt.Sprintf("%[1]s = rollout_sums.%[1]s + excluded.%[1]s", c.Name))
	}
	t.OnConflict = strings.Join(add, ", ")
	return t
}

// rolloutKey identifies the requests that one version decided at one step.
type rolloutKey struct {
	id    string
	share int64
	side  string
}

func rolloutKeyOf(r *record.Record) rolloutKey {
	k := rolloutKey{limitName(r.Rollout.ID), int64(r.Rollout.Share), sideStable}
	if r.UsedCandidate() {
		k.side = sideCandidate
	}
	return k
}

// String returns the key as the table evidence has it.
func (k rolloutKey) String() string { return fmt.Sprintf("%s %d %s", k.id, k.share, k.side) }

// rolloutLabel returns the key of a request in the table evidence, "" without a rollout.
func rolloutLabel(r *record.Record) string {
	if !rollout.Counts(r) {
		return ""
	}
	return rolloutKeyOf(r).String()
}

// rolloutRows sums up records. The rows are sorted, because dashboards that lock the same rows
// in different orders could deadlock.
func rolloutRows(stored []*record.Record, unexamined map[uuid.UUID]bool) [][]any {
	sums := map[rolloutKey]*rollout.Figures{}
	for _, r := range stored {
		if !rollout.Counts(r) {
			continue
		}
		k := rolloutKeyOf(r)
		if sums[k] == nil {
			sums[k] = &rollout.Figures{}
		}
		sums[k].Add(r, r.HasResponse() && !unexamined[r.ID])
	}
	var rows [][]any
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b rolloutKey) int {
		return cmp.Or(strings.Compare(a.id, b.id), cmp.Compare(a.share, b.share), strings.Compare(a.side, b.side))
	}) {
		f := sums[k]
		rows = append(rows, []any{
			k.id, k.share, k.side, f.Requests, f.Failures, f.Responses,
			f.Latency.N, f.Latency.Sum, f.Latency.Squares, f.Cost.N, f.Cost.Sum, f.Cost.Squares,
		})
	}
	return rows
}

const (
	selectRolloutSums = `SELECT side, requests, failures, responses, latency_count, latency_sum, latency_squares, cost_count, cost_sum, cost_squares
		FROM rollout_sums WHERE rollout = $1 AND share = $2`
	sumRolloutRatings = `SELECT rollout, COUNT(*), SUM(score), SUM(score * score) FROM (
		SELECT rollout, CAST(SUM(score * weight) AS DOUBLE PRECISION) / SUM(weight) / 1000 AS score FROM evidence
		WHERE rollout IN ($1, $2) AND kind = 'feedback' AND weight > 0 GROUP BY request_id, rollout) AS rated GROUP BY rollout`
	sumRolloutFlags = `SELECT rollout, CAST(SUM(weight) AS DOUBLE PRECISION) / 1000 FROM (
		SELECT rollout, MAX(weight) AS weight FROM evidence
		WHERE rollout IN ($1, $2) AND kind <> 'feedback' GROUP BY request_id, rollout) AS flagged GROUP BY rollout`
)

// RolloutFigures returns the figures of both versions at one step of a rollout, over the
// requests of all accounts.
func (s *Store) RolloutFigures(ctx context.Context, id string, share int32) (rollout.Sides, error) {
	var sides rollout.Sides
	at := func(side string) *rollout.Figures {
		if strings.HasSuffix(side, sideCandidate) {
			return &sides.Candidate
		}
		return &sides.Stable
	}
	k := rolloutKey{id: id, share: int64(share)}
	labels := make([]any, 2)
	for i, side := range []string{sideStable, sideCandidate} {
		k.side = side
		labels[i] = k.String()
	}
	for _, q := range []struct {
		statement string
		args      []any
		scan      func(*sql.Rows) error
	}{
		{selectRolloutSums, []any{k.id, k.share}, func(rows *sql.Rows) error {
			var side string
			var f rollout.Figures
			err := rows.Scan(&side, &f.Requests, &f.Failures, &f.Responses, &f.Latency.N, &f.Latency.Sum, &f.Latency.Squares, &f.Cost.N, &f.Cost.Sum, &f.Cost.Squares)
			*at(side) = f
			return err
		}},
		{sumRolloutRatings, labels, func(rows *sql.Rows) error {
			var label string
			var f rollout.Figures
			err := rows.Scan(&label, &f.Rated.N, &f.Rated.Sum, &f.Rated.Squares)
			at(label).Rated = f.Rated
			return err
		}},
		{sumRolloutFlags, labels, func(rows *sql.Rows) error {
			var label string
			var weight float64
			err := rows.Scan(&label, &weight)
			at(label).FlaggedWeight = weight
			return err
		}},
	} {
		if err := s.readRows(ctx, q.statement, q.args, q.scan); err != nil {
			return rollout.Sides{}, fmt.Errorf("read the figures of a rollout: %w", err)
		}
	}
	return sides, nil
}
