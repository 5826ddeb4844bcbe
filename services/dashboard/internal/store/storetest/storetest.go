// Package storetest contains the contract of a ledger as tests: what Insert,
// the reads, the feed, spend and completeness must guarantee. The tests of
// package store run it on SQLite and on Postgres. Open opens a ledger for tests of
// other packages too.
package storetest

import (
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// Run runs the contract. open must return an empty ledger each time.
func Run(t *testing.T, open func(t *testing.T) *store.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s *store.Store)
	}{
		{"a repeated batch is stored once", idempotent},
		{"a record is read back with all fields", allFields},
		{"shared runs stay in their account", sharedRuns},
		{"saved views are seen by their author, or by the account", savedViews},
		{"ranges merge", ranges},
		{"dead letters count as stored", deadLetters},
		{"pages run newest first without gaps or repeats", pages},
		{"filters", filters},
		{"a search finds matches that are years apart", farApart},
		{"a text is found in failures", failures},
		{"failures are grouped by cause", failureGroups},
		{"pages are stable during inserts", stablePages},
		{"pages follow the order of the query", sortedPages},
		{"sorted pages are stable during inserts", stableSortedPages},
		{"the values of a field are counted", facets},
		{"a canceled read returns an error", canceled},
		{"totals are the sums of rows", totals},
		{"ranges may start and end anywhere", edges},
		{"a tail returns every record once", tails},
		{"a tail is filtered and reports gaps", tailFilters},
		{"an overview counts exactly", overview},
		{"accounts are isolated", isolatedAccounts},
		{"invalid texts are sanitized and stored", texts},
		{"sums are exact", sums},
		{"huge sums saturate", hugeSums},
		{"small groups are merged", manyGroups},
		{"ids of any day are stored", anyDay},
		{"two writers merge each other's ranges", twoWriters},
		{"producer states are stored", reports},
		{"gaps are listed", gaps},
		{"two dashboards store the same states", twoDashboards},
		{"damaged entries do not count as stored", damagedLetters},
		{"the ledger reports its size", storageInfo},
		{"spend equals the sums of rows", spends},
		{"paging returns all spend once", spendPages},
		{"spend of group budgets equals the sums of rows", budgetSpends},
		{"spend by group adds up over time", spendGroups},
		{"spend by group has the dearest of many groups", dearestGroups},
		{"requests and tokens are counted by group", volumes},
		{"spend is listed by key and day", spendDays},
		{"a session sums its requests, each once", sessions},
		{"sessions are listed", sessionLists},
		{"sessions are the sums of rows", sessionsAddUp},
		{"huge sessions saturate", hugeSessions},
		{"labels are found and grouped", labels},
		{"evidence is joined with its request", evidenceJoins},
		{"evidence of another account is dropped", evidenceOfOthers},
		{"a later item of a source replaces the earlier one", evidenceReplaces},
		{"waiting evidence is bounded", evidenceWaits},
		{"evidence takes texts as they come", evidenceTexts},
		{"feedback is reported once", feedbackReports},
		{"quality is summed by model and task", qualities},
		{"a rollout has figures of both versions", rolloutFigures},
		{"comparisons are summed by pair and task", comparisons},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// Base is the time of the first record of Make.
func Base() time.Time { return time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC) }

// Make returns the n-th record of an account, n seconds after Base.
func Make(account string, n int) *record.Record {
	at := Base().Add(time.Duration(n) * time.Second)
	return &record.Record{
		ID: ID(at, n), AccountID: account, KeyID: "key_1", KeyName: "prod", Time: at, Endpoint: "chat", Protocol: record.ProtocolChat,
		RequestedModel: "auto", Model: "small", Provider: "alpha", Route: record.RouteExpected,
		Reason:  record.Reason{Code: "CHEAPEST", Text: "the cheapest that is good enough", Rule: "default"},
		Outcome: record.OutcomeOK, Status: 200, Tokens: record.Tokens{Input: 10, Output: 5},
		Cost: Nano(100), CostBasis: record.CostFinal, BaselineModel: "large", BaselineCost: Nano(1000),
		Latency: 1500, TTFT: 700, Gateway: 40,
	}
}

// ID returns a UUIDv7 with the time as its timestamp. n makes the id unique.
func ID(at time.Time, n int) uuid.UUID {
	var id uuid.UUID
	for i, ms := 5, at.UnixMilli(); i >= 0; i, ms = i-1, ms>>8 {
		id[i] = byte(ms)
	}
	id[6], id[8], id[14], id[15] = 0x70, 0x80, byte(n>>8), byte(n)
	return id
}

// At moves a record and its id to another time.
func At(r *record.Record, at time.Time) {
	moved := ID(at, 0)
	copy(r.ID[:6], moved[:6])
	r.Time = at
}

// Nano returns a pointer to an amount in nano-USD.
func Nano(n int64) *int64 { return &n }

func insert(t *testing.T, s *store.Store, all ...*record.Record) {
	t.Helper()
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: all}))
}

func all(account string) record.Query { return record.Query{Account: account} }

// eachPage reads the pages of a search, each after the caller is done with the one before.
func eachPage(t *testing.T, s *store.Store, q record.Query, limit int) iter.Seq[record.Page] {
	return func(yield func(record.Page) bool) {
		for cursor := (*record.Cursor)(nil); ; {
			page, err := s.Page(t.Context(), q, cursor, limit)
			require.NoError(t, err, q)
			if cursor = page.Next; !yield(page) || cursor == nil {
				return
			}
		}
	}
}

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
