package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
)

const (
	// waitingTime is how long evidence waits for its request. The record of a request may
	// be late if a proxy was stopped and another one adopts its spool days later.
	waitingTime = 7 * 24 * time.Hour
	// MaxWaiting is how many items of one account may wait. Further ones are dropped, so
	// that invented request ids cannot fill the disk.
	MaxWaiting = 20_000
)

var evidenceTable = bulk.Table{
	Name: "evidence", Key: "request_id, account_id, kind, source",
	Columns: append(itemColumns(), bulk.Int("request_us"), bulk.Text("model"), bulk.Text("provider"), bulk.Text("task"), bulk.Text("rollout")),
	OnConflict: `score = excluded.score, weight = excluded.weight, reason = excluded.reason, created_us = excluded.created_us
		WHERE excluded.created_us >= evidence.created_us`,
}

var waitingTable = bulk.Table{
	Name: "waiting_evidence", Key: "request_id, account_id, kind, source",
	Columns: append(itemColumns(), bulk.Int("received_us"), bulk.Int("day")),
	OnConflict: `score = excluded.score, weight = excluded.weight, reason = excluded.reason, created_us = excluded.created_us
		WHERE excluded.created_us >= waiting_evidence.created_us`,
}

var qualityTable = bulk.Table{
	Name: "quality_daily", Key: "account_id, day, model, provider, task",
	Columns: []bulk.Column{
		bulk.Text("account_id"), bulk.Int("day"), bulk.Text("model"), bulk.Text("provider"), bulk.Text("task"), bulk.Int("responses"),
	},
	OnConflict: "responses = quality_daily.responses + excluded.responses",
}

const itemColumnNames = "request_id, account_id, kind, source, score, weight, reason, created_us"

func itemColumns() []bulk.Column {
	return []bulk.Column{
		bulk.Bytes("request_id"), bulk.Text("account_id"), bulk.Text("kind"), bulk.Text("source"), bulk.Int("score"), bulk.Int("weight"),
		bulk.Text("reason"), bulk.Int("created_us"),
	}
}

func itemRow(e *evidence.Item) []any {
	return []any{
		e.RequestID[:], codec.CleanText(e.AccountID), string(e.Kind), limitName(e.Source), e.Score, e.Weight,
		codec.CleanText(e.Reason), e.Created.UnixMicro(),
	}
}

// itemFields returns where to scan itemColumnNames. finish completes the item.
func itemFields(e *evidence.Item) (dest []any, finish func()) {
	var id []byte
	var created int64
	return []any{&id, &e.AccountID, &e.Kind, &e.Source, &e.Score, &e.Weight, &e.Reason, &created}, func() {
		copy(e.RequestID[:], id)
		e.Created = time.UnixMicro(created).UTC()
	}
}

// storeEvidence stores the evidence of a batch and the evidence that waited for its
// requests. stored are the requests that the transaction has inserted.
func (s *Store) storeEvidence(ctx context.Context, tx *sql.Tx, b *preparedBatch, stored []*record.Record) error {
	waited, err := s.takeWaiting(ctx, tx, stored)
	if err != nil {
		return err
	}
	items := evidence.Latest(append(waited, b.Evidence...))
	if len(items) > 0 {
		requests, err := s.findRequests(ctx, tx, items, b.records)
		if err != nil {
			return err
		}
		if err := s.joinEvidence(ctx, tx, items, requests, b.now); err != nil {
			return err
		}
	}
	_, err = qualityTable.Insert(ctx, tx, s.db.Dialect, qualityRows(stored, b.Unexamined))
	return err
}

// joinEvidence stores each item whose request is known. An item about a request of another
// account is dropped. An item about an unknown request waits.
func (s *Store) joinEvidence(ctx context.Context, tx *sql.Tx, items []evidence.Item, requests map[uuid.UUID]*record.Record, now time.Time) error {
	var rows [][]any
	unknown := map[string][][]any{}
	for i := range items {
		e := &items[i]
		r, ok := requests[e.RequestID]
		switch {
		case ok && r.AccountID == e.AccountID:
			rows = append(rows, append(itemRow(e), r.Time.UnixMicro(), limitName(r.Model), limitName(r.Provider), r.Task(), rolloutLabel(r)))
		case !ok:
			unknown[e.AccountID] = append(unknown[e.AccountID], append(itemRow(e), now.UnixMicro(), record.DayOfID(e.RequestID)))
		}
	}
	if _, err := evidenceTable.Insert(ctx, tx, s.db.Dialect, rows); err != nil {
		return err
	}
	for _, account := range slices.Sorted(maps.Keys(unknown)) {
		if err := s.keepWaiting(ctx, tx, account, unknown[account]); err != nil {
			return err
		}
	}
	return nil
}

const countWaiting = `SELECT COUNT(*) FROM (SELECT 1 FROM waiting_evidence WHERE account_id = $1 LIMIT $2) AS waiting`

func (s *Store) keepWaiting(ctx context.Context, tx *sql.Tx, account string, rows [][]any) error {
	var n int
	if err := tx.QueryRowContext(ctx, countWaiting, codec.CleanText(account), MaxWaiting).Scan(&n); err != nil {
		return fmt.Errorf("count waiting evidence: %w", err)
	}
	_, err := waitingTable.Insert(ctx, tx, s.db.Dialect, rows[:min(len(rows), MaxWaiting-n)])
	return err
}

// qualityRows counts the responses that were searched for signals. The rows are sorted, because dashboards
// that lock the same rows in different orders could deadlock.
func qualityRows(stored []*record.Record, unexamined map[uuid.UUID]bool) [][]any {
	type key struct {
		account               string
		day                   int64
		model, provider, task string
	}
	counts := map[key]int64{}
	for _, r := range stored {
		if r.HasResponse() && !unexamined[r.ID] {
			counts[key{codec.CleanText(r.AccountID), record.DayOfID(r.ID), limitName(r.Model), limitName(r.Provider), r.Task()}]++
		}
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b key) int {
		return cmp.Or(strings.Compare(a.account, b.account), cmp.Compare(a.day, b.day), strings.Compare(a.model, b.model),
			strings.Compare(a.provider, b.provider), strings.Compare(a.task, b.task))
	})
	var rows [][]any
	for _, k := range keys {
		rows = append(rows, []any{k.account, k.day, k.model, k.provider, k.task, counts[k]})
	}
	return rows
}
