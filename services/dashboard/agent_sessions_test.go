package dashboard_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// agentSession returns n requests of a session. The first one is a side call.
func agentSession(account, id string, from, n int) []*recordv1.RequestRecord {
	var all []*recordv1.RequestRecord
	for i := range n {
		all = append(all, newRecord(account, from+i, func(r *recordv1.RequestRecord) {
			r.Session, r.User, r.Agent, r.SideCall = id, "ann", "codex", i == 0
			r.Tokens = &recordv1.Tokens{Input: 100, CacheRead: 200, Output: 5}
		}))
	}
	return all
}

func TestSessionsOfAgents(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	require.JSONEq(t, `{"items":[],"next_cursor":null}`, b.api("GET", "/sessions", "").body)
	odd := "a/b c?d%2F#é"
	first, second := agentSession(account, odd, 0, 3), agentSession(account, "second", 10, 1)
	h.publish(append(first, second...)...)

	page := b.api("GET", "/sessions?limit=1", "").json(t)
	require.Equal(t, "second", page["items"].([]any)[0].(map[string]any)["id"])
	rest := b.api("GET", "/sessions?limit=1&cursor="+page["next_cursor"].(string), "").json(t)
	require.Nil(t, rest["next_cursor"])
	require.Equal(t, map[string]any{
		"id": odd, "agent": "codex", "user": "ann", "started": "2026-11-14T12:00:00.000000Z", "ended": "2026-11-14T12:00:02.001500Z",
		"requests": 3.0, "turns": 2.0, "side_calls": 1.0, "errors": 0.0, "unpriced": 0.0,
		"cost_nano_usd": 300.0, "saved_nano_usd": 2700.0, "cache_hit_percent": 66.7,
	}, rest["items"].([]any)[0])

	path := "/sessions/" + url.PathEscape(odd)
	one := b.api("GET", path+"?limit=2", "").json(t)
	require.Equal(t, odd, one["id"])
	timeline := one["timeline"].(map[string]any)
	require.Len(t, timeline["items"], 2)
	require.Equal(t, true, timeline["items"].([]any)[0].(map[string]any)["side_call"])
	last := b.api("GET", path+"?limit=2&cursor="+timeline["next_cursor"].(string), "").json(t)["timeline"].(map[string]any)
	require.Len(t, last["items"], 1)
	require.Nil(t, last["next_cursor"])
	require.Equal(t, idOf(first[2]), last["items"].([]any)[0].(map[string]any)["id"])
}

func TestSessionParamsAreChecked(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	for _, query := range []string{"sort=name", "user=%00", "search=%ff", "agent=a%0ab", "cursor=x", "limit=0", "from=2026-11-15&to=2026-11-14", "filter=user:x"} {
		b.api("GET", "/sessions?"+query, "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	}
	for _, path := range []string{"/sessions/none", "/sessions/%00", "/sessions/%ff"} {
		b.api("GET", path, "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	}
	b.api("GET", "/sessions/none?cursor=x", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	b.api("GET", "/impact?group_by=meta.", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	b.api("GET", "/impact?group_by=meta.%00", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}
