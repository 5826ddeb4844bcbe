package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// SQLite reads the newest matches of the values that clients choose from an index that has
// them in order, so that the time does not depend on the number of requests.
func TestSQLiteReadsLabelsInOrder(t *testing.T) {
	s := storetest.Open(t, migrated.SQLite(t))
	for text, index := range map[string]string{
		"session:x": "requests_session", "user:x": "requests_user", "agent:x": "requests_agent", "rule:x": "requests_rule",
		"protocol:gemini": "requests_protocol", "endpoint:embeddings": "requests_endpoint", "tag:x": "request_labels", "meta.team:x": "request_labels",
		"tag:x model:small -user:y": "request_labels",
	} {
		terms, err := record.ParseFilter(text)
		require.NoError(t, err)
		plan, err := s.ExplainPage(t.Context(), record.Query{Account: "acc", From: time.Unix(0, 0), To: time.Now(), Terms: terms})
		require.NoError(t, err)
		require.Contains(t, plan, index, text)
		require.NotContains(t, plan, "TEMP B-TREE", text)
		require.NotContains(t, plan, "SCAN requests", text)
		if index == "request_labels" {
			require.Contains(t, plan, "(account_id=? AND time_us=? AND id=?)", "each label finds one request")
		}
	}
}

// SQLite reads every order from an index, and the matches of a filter in that order.
func TestSQLiteReadsOrdersFromIndexes(t *testing.T) {
	s := storetest.Open(t, migrated.SQLite(t))
	for by, index := range map[record.Field]string{
		record.ByCost: "requests_by_cost", record.BySaved: "requests_by_saved", record.ByLatency: "requests_by_latency",
		record.ByTTFT: "requests_by_ttft", record.ByTokens: "requests_by_tokens", record.ByTime: "requests_newest",
	} {
		for _, ascending := range []bool{false, true} {
			q := record.Query{Account: "acc", From: time.Unix(0, 0), To: time.Now(), Sort: record.Sort{By: by, Ascending: ascending}}
			plan, err := s.ExplainPage(t.Context(), q)
			require.NoError(t, err)
			require.Contains(t, plan, index, by)
		}
	}
}

// The newest sessions of a user come from an index that has them in order.
func TestSQLiteReadsTheSessionsOfAUserInOrder(t *testing.T) {
	s := storetest.Open(t, migrated.SQLite(t))
	plan, err := s.ExplainSessions(t.Context(), record.SessionQuery{Account: "acc", User: "ann", From: time.Unix(1, 0)})
	require.NoError(t, err)
	require.Contains(t, plan, "sessions_of_users")
	require.NotContains(t, plan, "TEMP B-TREE")
}
