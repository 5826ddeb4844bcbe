package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

const account = "acc"

func chat(t *testing.T, members string) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseChat([]byte(`{"model":"auto","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]` + members + `}`))
	require.NoError(t, err)
	return r
}

func identify(h session.Header, r *requestbody.Request) session.Identity {
	return session.Identify(account, session.IDFromHeader(account, h), h, r)
}

// The ids are used in the documented order. Each row lacks the id of the rows before it.
func TestTheFirstIDWins(t *testing.T) {
	members := `,"prompt_cache_key":"key","metadata":{"user_id":"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"meta\"}"}`
	h := session.Header{}
	names := []string{
		"X-Signalbox-Session", "X-Claude-Code-Session-Id", "Session-Id", "Thread-Id",
		"X-Session-Affinity", "X-Session-Id", "X-Opencode-Session-Id",
	}
	for _, name := range names {
		h[name] = []string{"id of " + name}
	}
	for _, name := range names {
		require.Equal(t, session.Identity{ID: "id of " + name, Explicit: true, User: "d"}, identify(h, chat(t, members)))
		delete(h, name)
	}
	require.Equal(t, session.Identity{ID: "key", Explicit: true, User: "d"}, identify(h, chat(t, members)))
	members = strings.Replace(members, `"key"`, `""`, 1)
	require.Equal(t, session.Identity{ID: "meta", Explicit: true, User: "d"}, identify(h, chat(t, members)))
	opening := identify(h, chat(t, ""))
	require.Regexp(t, `^c-[0-9a-f]{8,16}$`, opening.ID)
	require.False(t, opening.Explicit)
	require.Equal(t, opening, identify(h, chat(t, `,"temperature":1`)), "the start of the conversation is the same")
}

func TestTheUser(t *testing.T) {
	for name, tc := range map[string]struct {
		header        session.Header
		members, user string
	}{
		"none":               {nil, "", ""},
		"header":             {session.Header{"X-Signalbox-User": {"ada"}}, `,"user":"ben"`, "ada"},
		"user":               {nil, `,"user":"ben","safety_identifier":"s"`, "ben"},
		"empty user":         {nil, `,"user":" ","safety_identifier":"s"`, "s"},
		"metadata":           {nil, `,"metadata":{"user_id":"u-1"}`, "u-1"},
		"claude code":        {nil, `,"metadata":{"user_id":"{\"device_id\":\"d\",\"account_uuid\":\"a\",\"session_id\":\"s\"}"}`, "a"},
		"older claude code":  {nil, `,"metadata":{"user_id":"user_7_account__session_0b"}`, "user_7_account_"},
		"other object":       {nil, `,"metadata":{"user_id":"{\"name\":\"x\"}"}`, `{"name":"x"}`},
		"session in a name":  {nil, `,"metadata":{"user_id":"my_session_x"}`, "my_session_x"},
		"another alphabet":   {nil, `,"user":"Ада"`, session.Hash(account, "Ада")},
		"control characters": {nil, `,"user":"a\u0007b"`, session.Hash(account, "a\ab")},
		"too long":           {nil, `,"user":"` + strings.Repeat("x", 129) + `"`, session.Hash(account, strings.Repeat("x", 129))},
		"longest":            {nil, `,"user":"` + strings.Repeat("x", 128) + `"`, strings.Repeat("x", 128)},
	} {
		require.Equal(t, tc.user, identify(tc.header, chat(t, tc.members)).User, name)
	}
}

func TestEmbeddingsHaveASessionOnlyByHeader(t *testing.T) {
	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"m","input":"x","user":"ada"}`))
	require.NoError(t, err)
	require.Equal(t, session.Identity{User: "ada"}, identify(nil, r))
	require.Equal(t, session.Identity{ID: "s", Explicit: true, User: "ada"}, identify(session.Header{"X-Session-Id": {"s"}}, r))
}

// An id means something only within its account. The hash of an id finds the same session.
func TestKeysAreOfOneAccount(t *testing.T) {
	require.NotEqual(t, session.KeyOf("a", "s"), session.KeyOf("b", "s"))
	require.NotEqual(t, session.KeyOf("a", "bs"), session.KeyOf("ab", "s"))
	require.NotEqual(t, session.Hash("a", "s"), session.Hash("b", "s"))
	require.Equal(t, session.KeyOf("a", "s"), session.KeyOf("a", session.Hash("a", "s")))
	require.NotEqual(t, session.KeyOf("a", "s"), session.KeyOf("b", session.Hash("a", "s")), "a hash of another account")
	require.NotEqual(t, session.KeyOf("a", "sha256-xyz"), session.KeyOf("a", "sha256-"))
	require.Equal(t, session.Hash("a", "s"), session.Bound("a", session.Hash("a", "s")))
}

// One session of Claude Code has one id, however its requests carry it.
func TestClaudeCodeSendsTheSameIDTwice(t *testing.T) {
	const id = "4f3a2b1c-0000-4000-8000-0123456789ab"
	body := chat(t, `,"metadata":{"user_id":"{\"device_id\":\"d\",\"session_id\":\"`+id+`\"}"}`)
	require.Equal(t, id, identify(session.Header{"X-Claude-Code-Session-Id": {id}}, body).ID)
	require.Equal(t, id, identify(nil, body).ID)
}
