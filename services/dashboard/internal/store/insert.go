package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// table is what rows are inserted into, many at a time.
type table struct {
	name    string
	columns []string
	key     string
	// most is how many rows one statement of Postgres takes: enough to save
	// round trips, few enough to stay under the parameter limit and in memory.
	most int
}

var requestsTable = table{
	name: "requests", key: "id, day", most: 256,
	columns: []string{
		"id", "day", "time_us", "account_id", "key_id", "key_name", "endpoint", "requested_model", "model", "provider",
		"route", "outcome", "reason_code", "status", "code", "stream", "input_tokens", "cache_read_tokens",
		"cache_write_tokens", "output_tokens", "reasoning_tokens", "cost_nano_usd", "baseline_model",
		"baseline_nano_usd", "latency_us", "ttft_us", "gateway_us", "policy_version", "record",
	},
}

var contentTable = table{
	name: "content", key: "id, day", most: 32,
	columns: []string{"id", "day", "account_id", "request", "response", "request_bytes", "response_bytes"},
}

var deadLettersTable = table{
	name: "dead_letters", key: "producer, seq", most: 32,
	columns: []string{"producer", "seq", "received_us", "reason", "record"},
}

// Insert stores a batch in one transaction. What is stored already is left as
// it is, so the same batch may come any number of times. ErrRefused is in the
// error's chain when the data is at fault.
func (s *Store) Insert(ctx context.Context, b record.Batch) error {
	requests, content, dead, err := rows(b)
	if err != nil {
		return err
	}
	if err := s.partition(ctx, b.Records); err != nil {
		return fmt.Errorf("make partitions: %w", err)
	}
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := s.insert(ctx, tx, requestsTable, requests); err != nil {
			return err
		}
		if err := s.insert(ctx, tx, contentTable, content); err != nil {
			return err
		}
		if err := s.insert(ctx, tx, deadLettersTable, dead); err != nil {
			return err
		}
		return s.commit(ctx, tx, b.Committed)
	})
	return classify(err)
}

func rows(b record.Batch) (requests, content, dead [][]any, err error) {
	for _, r := range b.Records {
		row, err := requestRow(r)
		if err != nil {
			return nil, nil, nil, err
		}
		requests = append(requests, row)
		if c := r.Content; c != nil {
			content = append(content, []any{
				r.ID[:], record.Day(r.ID), codec.Clean(r.AccountID),
				notNil(c.Request), notNil(c.Response), c.RequestBytes, c.ResponseBytes,
			})
		}
	}
	now := time.Now().UnixMicro()
	for _, d := range b.Dead {
		dead = append(dead, []any{
			codec.Clean(d.Entry.Producer), seq(d.Entry.Seq), now, codec.Clean(d.Reason), notNil(d.Entry.Record),
		})
	}
	return requests, content, dead, nil
}

func requestRow(r *record.Record) ([]any, error) {
	encoded, err := codec.Encode(r)
	if err != nil {
		return nil, errors.Join(record.ErrRefused, err)
	}
	return []any{
		r.ID[:], record.Day(r.ID), r.Time.UnixMicro(), codec.Clean(r.AccountID), codec.Clean(r.KeyID),
		codec.Clean(r.KeyName), r.Endpoint, codec.Clean(r.RequestedModel), codec.Clean(r.Model), codec.Clean(r.Provider),
		string(r.Route), string(r.Outcome), codec.Clean(r.Reason.Code), r.Status, codec.Clean(r.Code), bit(r.Stream),
		r.Tokens.Input, r.Tokens.CacheRead, r.Tokens.CacheWrite, r.Tokens.Output, r.Tokens.Reasoning,
		r.Cost, codec.Clean(r.BaselineModel), r.BaselineCost, r.Latency, r.TTFT, r.Gateway,
		codec.Clean(r.PolicyVersion), encoded,
	}, nil
}

func (s *Store) insert(ctx context.Context, tx *sql.Tx, t table, rows [][]any) (err error) {
	switch {
	case len(rows) == 0:
		return nil
	case s.db.Dialect == sqldb.SQLite:
		err = t.insertEach(ctx, tx, rows)
	default:
		err = t.insertMany(ctx, tx, rows)
	}
	if err != nil {
		return fmt.Errorf("insert into %s: %w", t.name, err)
	}
	return nil
}

// insertEach is for SQLite, which has no round trips to save, and looks the
// parameters of a statement up one after the other.
func (t table) insertEach(ctx context.Context, tx *sql.Tx, rows [][]any) error {
	stmt, err := tx.PrepareContext(ctx, t.statement(1))
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	for _, row := range rows {
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}

// insertMany is for Postgres.
func (t table) insertMany(ctx context.Context, tx *sql.Tx, rows [][]any) error {
	for len(rows) > 0 {
		n := chunk(len(rows), t.most)
		args := make([]any, 0, n*len(t.columns))
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if _, err := tx.ExecContext(ctx, t.statement(n), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// chunk is a power of two, so that there are few different statements and the
// database can keep them prepared.
func chunk(n, most int) int {
	c := most
	for c > n {
		c /= 2
	}
	return c
}

func (t table) statement(rows int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + t.name + " (" + strings.Join(t.columns, ", ") + ") VALUES ")
	for i := range rows * len(t.columns) {
		switch {
		case i == 0:
			b.WriteString("(")
		case i%len(t.columns) == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(i+1))
	}
	b.WriteString(") ON CONFLICT (" + t.key + ") DO NOTHING")
	return b.String()
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// notNil keeps empty bytes from becoming NULL.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
