package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// agentPolicy has two models at two providers. Requests with the tag "second" use the second one.
const agentPolicy = `
version: 1
providers: {one: {kind: sandbox, cache: {mode: automatic}}, two: {kind: sandbox}}
models:
  small: {capabilities: [tools], endpoints: [{provider: one, model: s}, {provider: two, model: s}], price: {input: "1.00", cache_read: "0.10", output: "2.00", per: 1M, effective: 2026-01-01}}
  large: {capabilities: [tools], endpoints: [{provider: one, model: l}], price: {input: "10.00", cache_read: "1.00", output: "20.00", per: 1M, effective: 2026-01-01}}
defaults: {baseline: large}
routes:
  auto:
    select:
      - {when: {request.metadata.use: large}, candidates: [large]}
      - {candidates: [small]}
`

// cachingUpstream reports that half of the input was cached.
type cachingUpstream struct{ *upstream }

func (u cachingUpstream) CompleteChat(context.Context, provider.Call) (*provider.Response, error) {
	const answer = `{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":4000,"completion_tokens":100,"total_tokens":4100,"prompt_tokens_details":{"cached_tokens":2000}}}`
	return &provider.Response{Status: http.StatusOK, Body: []byte(answer)}, nil
}

func (u cachingUpstream) ChatCompleter(string) (provider.ChatCompleter, bool) { return u, true }

// agentRig is an edge over HTTP whose keys k and other belong to different accounts.
type agentRig struct {
	*rig
	url string
}

func newAgentRig(t *testing.T) *agentRig {
	t.Helper()
	g := newRigOf(t, agentPolicy)
	g.accounts = map[string]string{"k": "acc", "other": "foe"}
	g.deps.Providers = func(*policy.Policy) dispatch.Providers { return cachingUpstream{newUpstream()} }
	a := &agentRig{rig: g}
	a.start(t)
	return a
}

func (a *agentRig) start(t *testing.T) {
	t.Helper()
	srv := httptest.NewServer(api.New(a.deps))
	t.Cleanup(srv.Close)
	a.url = srv.URL
}

// request sends a request. header has pairs of names and values.
func (a *agentRig) request(t *testing.T, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, a.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Api-Key", "k")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	return res, all(t, res)
}

// chat sends a chat request and returns its record.
func (a *agentRig) chat(t *testing.T, body string, header ...string) *ledger.Record {
	t.Helper()
	res, text := a.request(t, http.MethodPost, "/proxy/v1/chat/completions", body, header...)
	require.Equal(t, http.StatusOK, res.StatusCode, text)
	r := a.last()
	require.Equal(t, r.Session, res.Header.Get("X-Signalbox-Session"))
	return r
}

func (a *agentRig) last() *ledger.Record { return a.records[len(a.records)-1] }

const (
	toolMembers = `,"tools":[{"type":"function","function":{"name":"shell","parameters":{}}}]`
	firstTurn   = `{"model":"auto","messages":[{"role":"user","content":"Repair the build."}]` + toolMembers + `}`
	secondTurn  = `{"model":"auto","messages":[{"role":"user","content":"Repair the build."},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"shell","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":"ok"}]` + toolMembers + `}`
)

// The decision about a turn knows which candidate served the last one, and what is cached there.
func TestATurnKnowsTheTurnBefore(t *testing.T) {
	for name, header := range map[string][]string{"explicit": {"X-Signalbox-Session", "s-1"}, "by its opening": nil} {
		a := newAgentRig(t)
		r := a.chat(t, firstTurn, header...)
		if header != nil {
			require.Equal(t, "s-1", r.Session)
			require.Equal(t, &decide.Session{}, r.Question.Session)
		} else {
			require.Regexp(t, "^c-", r.Session)
			require.Nil(t, r.Question.Session)
		}
		first := r.Session
		r = a.chat(t, secondTurn, header...)
		require.Equal(t, first, r.Session, name)
		s := r.Question.Session
		require.Equal(t, &decide.Candidate{Model: "small", Provider: "one"}, s.Last)
		require.Equal(t, int64(1), s.Turns)
		require.True(t, s.ToolLoop)
		require.Equal(t, int64(100), s.OutputTokens)
		require.Len(t, s.Cached, 1)
		require.Equal(t, int64(4000), s.Cached[0].Tokens)
	}
}

func TestEveryProtocolHasSessions(t *testing.T) {
	for path, body := range map[string]string{
		"/proxy/v1/messages": `{"model":"auto","max_tokens":9,"system":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}]}`,
		"/proxy/v1/responses": `{"model":"auto","store":false,"input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"ok"}]}`,
		"/proxy/v1beta/models/auto:generateContent": `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`,
	} {
		a := newAgentRig(t)
		for turns := range int64(2) {
			res, text := a.request(t, http.MethodPost, path, body, "X-Claude-Code-Session-Id", "s")
			require.Equal(t, http.StatusOK, res.StatusCode, text)
			require.Equal(t, "s", res.Header.Get("X-Signalbox-Session"))
			s := a.last().Question.Session
			require.True(t, s.ToolLoop, path)
			require.Equal(t, turns, s.Turns, path)
			require.Equal(t, strings.Contains(body, "cache_control"), s.MarksCache)
		}
	}
}

// A side call is recorded as one. It costs, but it does not change what the next turn knows.
func TestASideCallDoesNotChangeTheSession(t *testing.T) {
	a := newAgentRig(t)
	header := []string{"X-Session-Id", "s", "User-Agent", "opencode/1.18"}
	title := `{"model":"auto","metadata":{"use":"large"},"messages":[{"role":"system","content":"You are a title generator."},{"role":"user","content":"Repair the build."}]}`
	r := a.chat(t, title, header...)
	require.True(t, r.SideCall)
	require.True(t, r.Question.Session.SideCall)
	require.False(t, a.chat(t, firstTurn, header...).SideCall)
	require.True(t, a.chat(t, title, header...).SideCall)
	r = a.chat(t, secondTurn, header...)
	require.False(t, r.SideCall)
	require.Equal(t, &decide.Candidate{Model: "small", Provider: "one"}, r.Question.Session.Last)
	require.Equal(t, int64(1), r.Question.Session.Turns)
	require.Equal(t, map[string]any{
		"id": "s", "model": "small", "provider": "one", "turns": 2.0, "requests": 4.0, "cache_hit_percent": 50.0,
		"cost_nano_usd": 2*(2200*1000+200*1000) + 2*(22000*1000+2000*1000.0), "saved_nano_usd": 2 * (9*2200*1000 + 9*200*1000.0),
	}, a.view(t, "s"))
}

// A sub-agent has the session id of its agent. Each of them continues its own tool loop with the
// model that called the tools.
func TestASubAgentHasItsOwnToolLoop(t *testing.T) {
	a, header := newAgentRig(t), []string{"X-Claude-Code-Session-Id", "s"}
	search := func(turn string) string { return strings.Replace(turn, "Repair the build.", "Search the log.", 1) }
	require.Equal(t, "small", a.chat(t, firstTurn, header...).Served.Model)
	require.Equal(t, "large", a.chat(t, strings.Replace(search(firstTurn), "{", `{"metadata":{"use":"large"},`, 1), header...).Served.Model)
	for range 2 {
		require.Equal(t, "small", a.chat(t, secondTurn, header...).Served.Model)
		r := a.chat(t, search(secondTurn), header...)
		require.Equal(t, "large", r.Served.Model)
		require.Equal(t, decide.ReasonToolLoop, r.Decision.Reason.Code)
	}
}

// view returns the JSON of a session.
func (a *agentRig) view(t *testing.T, id string, header ...string) (view map[string]any) {
	t.Helper()
	res, text := a.request(t, http.MethodGet, "/proxy/v1/session?id="+id, "", header...)
	require.Equal(t, http.StatusOK, res.StatusCode, text)
	require.NoError(t, json.Unmarshal([]byte(text), &view))
	return view
}

func TestASessionIsShownOnlyToItsAccount(t *testing.T) {
	a := newAgentRig(t)
	a.chat(t, firstTurn, "Session-Id", "s")
	recorded := len(a.records)
	requireError := func(status int, code, path string, header ...string) {
		t.Helper()
		res, text := a.request(t, http.MethodGet, path, "", header...)
		require.Equal(t, status, res.StatusCode, text)
		require.Contains(t, text, `"code":"`+code+`"`)
	}
	requireError(http.StatusNotFound, "NOT_FOUND", "/proxy/v1/session?id=s", "Api-Key", "other")
	requireError(http.StatusNotFound, "NOT_FOUND", "/proxy/v1/session?id="+session.Hash("foe", "s"))
	requireError(http.StatusNotFound, "NOT_FOUND", "/proxy/v1/session?id="+session.Hash("acc", "s"), "Api-Key", "other")
	requireError(http.StatusNotFound, "NOT_FOUND", "/proxy/v1/session?id=t")
	requireError(http.StatusBadRequest, "INVALID_REQUEST", "/proxy/v1/session")
	requireError(http.StatusUnauthorized, "AUTH_MISSING_KEY", "/proxy/v1/session?id=s", "Api-Key", "")
	require.Equal(t, "s", a.view(t, "s")["id"])
	require.Equal(t, 1.0, a.view(t, session.Hash("acc", "s"))["turns"], "the hash of an id finds it")
	require.Len(t, a.records, recorded, "not recorded")

	// An id of another account finds no state, and its requests do not add to that session.
	for _, id := range []string{"s", session.Hash("acc", "s")} {
		require.Equal(t, &decide.Session{ToolLoop: true}, a.chat(t, secondTurn, "Session-Id", id, "Api-Key", "other").Question.Session)
	}
	require.Equal(t, 1.0, a.view(t, "s")["requests"])
}

func TestShowingASessionCountsAgainstTheLimits(t *testing.T) {
	a := newAgentRig(t)
	a.limits = limits.Set{RequestsPerMinute: 1}
	a.chat(t, firstTurn, "Session-Id", "s")
	res, text := a.request(t, http.MethodGet, "/proxy/v1/session?id=s", "")
	require.Equal(t, http.StatusTooManyRequests, res.StatusCode, text)
}

// Ids and users of clients are stored only as far as the capture setting allows. The session is
// the same in all cases.
func TestSessionAndUserInTheRecord(t *testing.T) {
	const secret = "sk-proj-canary0123456789abcdef"
	const plain = "0b5d5bd0-6f3c-4d8e-9a57-2f6f1b1d5f0a"
	for _, tc := range []struct{ capture, id, wantID, wantUser string }{
		{"full", plain, plain, "ada@example.org"},
		{"none", plain, plain, session.Hash("acc", "ada@example.org")},
		{"redacted", plain, plain, session.Hash("acc", "ada@example.org")},
		{"full", secret, session.Hash("acc", secret), "ada@example.org"},
		{"none", secret, session.Hash("acc", secret), session.Hash("acc", "ada@example.org")},
		{"full", "Ada's work", "Ada's work", "ada@example.org"},
		{"none", "Ada's work", session.Hash("acc", "Ada's work"), session.Hash("acc", "ada@example.org")},
		{"full", strings.Repeat("x", 200), session.Hash("acc", strings.Repeat("x", 200)), "ada@example.org"},
	} {
		a := newAgentRig(t)
		header := []string{"X-Signalbox-Session", tc.id, "X-Signalbox-Capture", tc.capture, "X-Signalbox-User", "ada@example.org"}
		a.chat(t, firstTurn, header...)
		r := a.chat(t, secondTurn, header...)
		require.Equal(t, tc.wantID, r.Session, tc)
		require.Equal(t, tc.wantUser, r.User, tc)
		require.Equal(t, int64(1), r.Question.Session.Turns)
	}
}

// A rejected request is recorded with the session of its headers.
func TestARejectedRequestHasItsSession(t *testing.T) {
	a := newAgentRig(t)
	res, _ := a.request(t, http.MethodPost, "/proxy/v1/chat/completions", "not JSON", "Session-Id", "s")
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
	require.Equal(t, "s", res.Header.Get("X-Signalbox-Session"))
	require.Equal(t, "s", a.last().Session)
}

func TestARequestForATokenCountHasNoSession(t *testing.T) {
	a := newAgentRig(t)
	res, text := a.request(t, http.MethodPost, "/proxy/v1/messages/count_tokens", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`, "Session-Id", "s")
	require.Equal(t, http.StatusOK, res.StatusCode, text)
	require.Nil(t, a.deps.Sessions.Get(session.KeyOf("acc", "s")))
}

// Equal requests that begin a conversation are not turns of one session.
func TestEqualOpeningsAreNotTurns(t *testing.T) {
	a := newAgentRig(t)
	for range 3 {
		require.Nil(t, a.chat(t, helloBody).Question.Session)
	}
	const next = `{"model":"auto","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ok"},{"role":"user","content":"go on"}]}`
	require.Equal(t, int64(1), a.chat(t, next).Question.Session.Turns)
	require.Equal(t, int64(2), a.chat(t, next).Question.Session.Turns)
}
