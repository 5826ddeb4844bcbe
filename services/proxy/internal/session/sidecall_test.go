package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

const (
	titleSystem = `{"role":"system","content":"You are a title generator. You output ONLY a thread title."}`
	workSystem  = `{"role":"system","content":"You are a coding agent."}`
	ask         = `{"role":"user","content":"Repair the build."}`
	tools       = `,"tools":[{"type":"function","function":{"name":"shell","parameters":{}}}]`
)

func parsed(t *testing.T, messages, members string) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseChat([]byte(`{"model":"auto","messages":[` + messages + `]` + members + `}`))
	require.NoError(t, err)
	return r
}

// worked returns the state after a turn with tools.
func worked(t *testing.T, input int64) *session.State {
	t.Helper()
	s, _ := (*session.State)(nil).After(&session.Served{
		Candidate: decide.Candidate{Model: "m", Provider: "p"}, At: time.Now(),
		Usage: catalog.Usage{Input: input}, Opening: parsed(t, workSystem+","+ask, tools).OpeningID(),
	})
	return s
}

func TestSideCalls(t *testing.T) {
	explicit := session.Identity{ID: "s", Explicit: true}
	large := strings.Repeat("word ", 3000)
	for name, tc := range map[string]struct {
		id      session.Identity
		program string
		r       *requestbody.Request
		state   *session.State
		want    bool
	}{
		"title before the first turn": {explicit, "opencode", parsed(t, titleSystem+","+ask, ""), nil, true},
		"title of an unknown program": {explicit, "openai-python", parsed(t, titleSystem+","+ask, ""), nil, false},
		"title without an id":         {session.Identity{ID: "c-1"}, "opencode", parsed(t, titleSystem+","+ask, ""), nil, false},
		"first turn":                  {explicit, "opencode", parsed(t, workSystem+","+ask, tools), nil, false},
		"first turn about titles":     {explicit, "opencode", parsed(t, titleSystem+","+ask, tools), nil, false},
		"work without tools":          {explicit, "claude-code", parsed(t, workSystem+","+ask, ""), nil, false},
		"large request for a summary": {explicit, "opencode", parsed(t, titleSystem+`,{"role":"user","content":"`+large+`"}`, ""), nil, false},
		"another opening":             {explicit, "", parsed(t, `{"role":"user","content":"Is this a new matter?"}`, ""), worked(t, 100), true},
		"the same opening":            {explicit, "", parsed(t, workSystem+","+ask, ""), worked(t, 100), false},
		"large beside small turns":    {explicit, "", parsed(t, `{"role":"user","content":"`+large+`"}`, ""), worked(t, 100), false},
		"large beside huge turns":     {explicit, "", parsed(t, `{"role":"user","content":"`+large+`"}`, ""), worked(t, 100_000), true},
		"session without tools":       {explicit, "", parsed(t, ask, ""), &session.State{LastAt: 1}, false},
		"a tool result":               {explicit, "opencode", parsed(t, titleSystem+`,{"role":"tool","content":"x"}`, ""), worked(t, 100), false},
	} {
		require.Equal(t, tc.want, session.IsSideCall(tc.id, tc.program, tc.r, tc.state), name)
	}
}

func TestSideCallsOfOtherProtocols(t *testing.T) {
	id := session.Identity{ID: "s", Explicit: true}
	messages, err := requestbody.ParseMessages([]byte(`{"model":"auto","max_tokens":512,"system":[{"type":"text","text":"Analyze if this message indicates a new conversation Topic."}],"messages":[{"role":"user","content":"hi"}]}`))
	require.NoError(t, err)
	require.True(t, session.IsSideCall(id, "claude-code", messages, nil))
	gemini, err := requestbody.ParseGenerateContent([]byte(`{"systemInstruction":{"parts":[{"text":"Summarize the conversation."}]},"contents":[{"parts":[{"text":"hi"}]}]}`), "auto", false)
	require.NoError(t, err)
	require.True(t, session.IsSideCall(id, "gemini-cli", gemini, nil))
	responses, err := requestbody.ParseResponses([]byte(`{"model":"auto","instructions":"Write a short title.","input":"hi"}`))
	require.NoError(t, err)
	require.True(t, session.IsSideCall(id, "codex", responses, nil))
	continued, err := requestbody.ParseResponses([]byte(`{"model":"auto","previous_response_id":"resp_1","input":"Change the title."}`))
	require.NoError(t, err)
	require.False(t, session.IsSideCall(id, "codex", continued, nil))
	require.False(t, session.IsSideCall(id, "codex", continued, worked(t, 100)))
}
