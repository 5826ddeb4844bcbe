package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// dropClients restores the schema before the migration 0003.
func dropClients(t *testing.T, s *store.Store) {
	t.Helper()
	dropSessions(t, s)
	for _, statement := range []string{
		"ALTER TABLE requests DROP COLUMN protocol",
		"ALTER TABLE requests DROP COLUMN agent",
		"DELETE FROM migrations WHERE number = 3",
	} {
		require.NoError(t, s.Exec(t.Context(), statement))
	}
}

// Requests that were stored before the columns existed have the protocol chat and no client
// program. The migration must not move or rewrite their rows, because it delays the start.
func TestStoredRequestsAreChats(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { requireClientsMigrated(t, sqliteFile(t), sqliteLocation) })
	t.Run("postgres", func(t *testing.T) { requireClientsMigrated(t, postgres(t), postgresLocation) })
}

// Queries whose results change if the stored requests move.
const (
	sqliteLocation   = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = 'requests'"
	postgresLocation = "SELECT hashtext(string_agg(pg_relation_filenode(tableoid)::text || ctid::text || xmin::text, ',' ORDER BY id)) FROM requests"
)

// requireClientsMigrated migrates stored requests. location is a query whose result changes
// if the rows move.
func requireClientsMigrated(t *testing.T, url, location string) {
	old, err := store.OpenConfig(t.Context(), store.Config{URL: url, Timeouts: storetest.LongTimeouts()})
	require.NoError(t, err)
	require.NoError(t, old.Insert(t.Context(), record.Batch{Records: []*record.Record{now(1), now(2), now(3)}}))
	dropClients(t, old)
	before, err := old.Count(t.Context(), location)
	require.NoError(t, err)
	require.NoError(t, old.Close())

	s := storetest.Open(t, url)
	after, err := s.Count(t.Context(), location)
	require.NoError(t, err)
	require.Equal(t, before, after, "the migration rewrote the requests")
	fresh := now(4)
	fresh.Protocol, fresh.Agent = record.ProtocolMessages, "claude-code"
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{fresh}}))
	for text, want := range map[string]int{"protocol:chat": 3, "-agent:*": 3, "protocol:messages": 1, "agent:claude-code": 1, "agent:none": 0} {
		terms, err := record.ParseFilter(text)
		require.NoError(t, err)
		page, err := s.Page(t.Context(), record.Query{Account: "acc", Terms: terms}, nil, 10)
		require.NoError(t, err)
		require.Len(t, page.Items, want, text)
	}
	impact, err := s.Impact(t.Context(), record.Query{Account: "acc"}, record.GroupProtocol)
	require.NoError(t, err)
	require.Len(t, impact.Groups, 2)
	require.Equal(t, "chat", impact.Groups[0].Value)
	require.EqualValues(t, 3, impact.Groups[0].Requests)
}
