// Package storetest is what every ledger promises, as tests. The store's own
// tests run it on SQLite and on Postgres.
package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// Run holds a ledger to its promises. open returns an empty one each time.
func Run(t *testing.T, open func(t *testing.T) *store.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s *store.Store)
	}{
		{"the same batch twice is stored once", idempotent},
		{"a record comes back whole", whole},
		{"ranges merge", ranges},
		{"dead letters are kept and count as stored", deadLetters},
		{"pages run newest first without gap or repeat", pages},
		{"filters", filters},
		{"a search reaches what is far apart", farApart},
		{"a text is found in failures", failures},
		{"pages are steady while records come", steady},
		{"a reader who leaves gets an error", canceled},
		{"totals are the sums of rows", addsUp},
		{"spans begin and end anywhere", edges},
		{"a tail shows everything once", tails},
		{"a tail is filtered and knows its gaps", tailFilters},
		{"an overview counts exactly", overview},
		{"accounts are fenced", fence},
		{"texts no database takes are stored", texts},
		{"sums are exact", sums},
		{"huge sums saturate", hugeSums},
		{"small groups fold into one", manyGroups},
		{"any id has a place", anyDay},
		{"two writers merge each other's ranges", twoWriters},
		{"producers' last words are kept", reports},
		{"gaps are listed", gaps},
		{"two listeners agree", twoListeners},
		{"what arrived damaged is not stored", damagedLetters},
		{"the ledger tells how large it is", volume},
		{"budgets are held against the sums of rows", spends},
		{"a walk meets all spend once", spendPages},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// Base is the time of the first record that Make makes.
func Base() time.Time { return time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC) }

// Make makes the n-th record of an account, n seconds after Base.
func Make(account string, n int) *record.Record {
	at := Base().Add(time.Duration(n) * time.Second)
	return &record.Record{
		ID: ID(at, n), AccountID: account, KeyID: "key_1", KeyName: "prod", Time: at, Endpoint: "chat",
		RequestedModel: "auto", Model: "small", Provider: "alpha", Route: record.Expected,
		Reason:  record.Reason{Code: "CHEAPEST", Text: "the cheapest that is good enough", Rule: "default"},
		Outcome: record.OK, Status: 200, Tokens: record.Tokens{Input: 10, Output: 5},
		Cost: Nano(100), CostBasis: record.Final, BaselineModel: "large", BaselineCost: Nano(1000),
		Latency: 1500, TTFT: 700, Gateway: 40,
	}
}

// ID is a UUIDv7 of the time, made different by n.
func ID(at time.Time, n int) uuid.UUID {
	var id uuid.UUID
	for i, ms := 5, at.UnixMilli(); i >= 0; i, ms = i-1, ms>>8 {
		id[i] = byte(ms)
	}
	id[6], id[8], id[14], id[15] = 0x70, 0x80, byte(n>>8), byte(n)
	return id
}

// At moves a record, and with it its id, to another time.
func At(r *record.Record, at time.Time) {
	moved := ID(at, 0)
	copy(r.ID[:6], moved[:6])
	r.Time = at
}

// Nano is an amount that is known.
func Nano(n int64) *int64 { return &n }

func insert(t *testing.T, s *store.Store, all ...*record.Record) {
	t.Helper()
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: all}))
}

func all(account string) record.Query { return record.Query{Account: account} }

func ids(p record.Page) []string {
	var out []string
	for _, r := range p.Items {
		out = append(out, r.ID.String())
	}
	return out
}

func one(producer string, first, last uint64) map[string][]records.Range {
	return map[string][]records.Range{producer: {{First: first, Last: last}}}
}

func filter(t *testing.T, account, text string) record.Query {
	t.Helper()
	terms, err := record.ParseFilter(text)
	require.NoError(t, err)
	return record.Query{Account: account, Terms: terms}
}

func model(n int) string { return fmt.Sprintf("model-%04d", n) }
