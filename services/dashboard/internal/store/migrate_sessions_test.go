package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// dropWords restores the schema before the migration that adds indexes of words.
func dropWords(t *testing.T, s *store.Store) {
	t.Helper()
	statements := []string{"DELETE FROM migrations WHERE name LIKE '%_words.sql'"}
	if s.Dialect() == sqldb.Postgres {
		statements = append(statements,
			"DROP INDEX requests_user, requests_origin, requests_labels, requests_session",
			"CREATE INDEX requests_session ON requests (session)", "CREATE INDEX requests_labels ON requests (labels)",
			"CREATE INDEX requests_clients ON requests (agent)", "CREATE INDEX requests_work ON requests (rule)")
	}
	for _, statement := range statements {
		require.NoError(t, s.Exec(t.Context(), statement), statement)
	}
}

// dropEvidence restores the schema before the migration that adds evidence.
func dropEvidence(t *testing.T, s *store.Store) {
	t.Helper()
	takeBack(t, s, "0017_sort_indexes.sql")
	dropAlerts(t, s)
	dropWords(t, s)
	for _, statement := range []string{
		"DROP TABLE evidence", "DROP TABLE waiting_evidence", "DROP TABLE quality_daily",
		"DROP TABLE shared_runs", "DROP TABLE saved_views", "DROP TABLE group_daily", "DROP TABLE group_hourly", "DROP TABLE rollout_sums", "DROP TABLE comparisons",
		"DROP INDEX requests_by_cost", "DROP INDEX requests_by_saved", "DROP INDEX requests_by_latency", "DROP INDEX requests_by_ttft", "DROP INDEX requests_by_tokens", "DROP INDEX sessions_of_users",
		"DELETE FROM migrations WHERE number >= 5",
	} {
		require.NoError(t, s.Exec(t.Context(), statement), statement)
	}
}

// dropSessions restores the schema before the migration that adds sessions.
func dropSessions(t *testing.T, s *store.Store) {
	t.Helper()
	dropEvidence(t, s)
	statements := []string{"DROP TABLE sessions"}
	if s.Dialect() == sqldb.SQLite {
		statements = append(statements, "DROP TRIGGER requests_labels_insert", "DROP TRIGGER requests_labels_delete", "DROP TABLE request_labels",
			"DROP INDEX requests_user", "DROP INDEX requests_agent", "DROP INDEX requests_rule", "DROP INDEX requests_protocol", "DROP INDEX requests_endpoint")
	} else {
		statements = append(statements, "DROP INDEX requests_labels", "DROP INDEX requests_work")
	}
	statements = append(statements, "DROP INDEX requests_session")
	for _, column := range []string{"session", "end_user", "side_call", "rule", "labels"} {
		statements = append(statements, "ALTER TABLE requests DROP COLUMN "+column)
	}
	for _, statement := range append(statements, "DELETE FROM migrations WHERE name LIKE '%_sessions.sql'") {
		require.NoError(t, s.Exec(t.Context(), statement), statement)
	}
}

// Requests that were stored before the columns existed have no session. The migration must
// not move or rewrite their rows, because it delays the start.
func TestStoredRequestsHaveNoSession(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { requireSessionsMigrated(t, sqliteFile(t), sqliteLocation) })
	t.Run("postgres", func(t *testing.T) { requireSessionsMigrated(t, postgres(t), postgresLocation) })
}

func requireSessionsMigrated(t *testing.T, url, location string) {
	old, err := store.OpenConfig(t.Context(), store.Config{URL: url, Timeouts: storetest.LongTimeouts()})
	require.NoError(t, err)
	require.NoError(t, old.Insert(t.Context(), record.Batch{Records: []*record.Record{now(1), now(2), now(3)}}))
	dropSessions(t, old)
	before, err := old.Count(t.Context(), location)
	require.NoError(t, err)
	require.NoError(t, old.Close())

	s := storetest.Open(t, url)
	after, err := s.Count(t.Context(), location)
	require.NoError(t, err)
	require.Equal(t, before, after, "the migration rewrote the requests")
	fresh := now(4)
	fresh.Session, fresh.User, fresh.Inputs = "work", "ann", &record.DecisionInputs{Tags: []string{"prod"}}
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{fresh}}))
	for text, want := range map[string]int{"-session:*": 3, "-user:*": 3, "-tag:*": 3, "-rule:*": 3, "session:work": 1, "user:ann": 1, "tag:prod": 1, "meta.x:y": 0} {
		terms, err := record.ParseFilter(text)
		require.NoError(t, err)
		page, err := s.Page(t.Context(), record.Query{Account: "acc", Terms: terms}, nil, 10)
		require.NoError(t, err)
		require.Len(t, page.Items, want, text)
	}
	one, err := s.Session(t.Context(), "acc", "work")
	require.NoError(t, err)
	require.EqualValues(t, 1, one.Requests)
}
