package proxy_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

const (
	chatPath = "/proxy/v1/chat/completions"
	hello    = `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`
)

func TestAServedRequestAndItsRecord(t *testing.T) {
	g := newRig(t, nil)
	res, body := g.call(http.MethodPost, chatPath, hello, "X-Request-Id: mine", "X-Stainless-Retry-Count: 2")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "expected", res.Header.Get("X-Signalbox-Route"))

	r := g.record()
	require.Equal(t, "account", r.GetAccountId())
	require.Equal(t, "test", r.GetKeyName())
	require.Equal(t, "mine", r.GetClientRequestId(), "recorded in addition to ours")
	require.NotEqual(t, "mine", res.Header.Get("X-Request-Id"))
	require.EqualValues(t, 2, r.GetClientRetry())
	require.Equal(t, recordv1.Outcome_OUTCOME_OK, r.GetOutcome())
	require.Equal(t, recordv1.CostBasis_COST_BASIS_FINAL, r.GetCostBasis())
	require.Equal(t, "sandbox-large", r.GetBaselineModel())
	require.Greater(t, r.GetBaselineNanoUsd(), r.GetCostNanoUsd())
	require.Positive(t, r.GetLatencyUs())
	require.Equal(t, "r", r.GetReason().GetRule())
	require.Equal(t, int64(1), r.GetFeatures()["turns"], "of the question")
	require.Equal(t, int64(1), r.GetFeatures()["task_fix"], "of the router")
	require.Equal(t, hello, string(r.GetContent().GetRequest()))
	require.Equal(t, body, string(r.GetContent().GetResponse()))
}

func TestAStreamAndItsRecord(t *testing.T) {
	g := newRig(t, nil)
	res, body := g.call(http.MethodPost, chatPath, strings.Replace(hello, "{", `{"stream":true,`, 1), "Accept: application/json")
	require.Equal(t, "text/event-stream; charset=utf-8", res.Header.Get("Content-Type"))
	require.True(t, strings.HasSuffix(body, "data: [DONE]\n\n"))
	require.NotContains(t, body, "usage", "not requested")
	r := g.record()
	require.True(t, r.GetStream())
	require.Positive(t, r.GetTokens().GetOutput())
	require.Positive(t, r.GetTtftUs())
	answer := r.GetContent().GetResponse()
	require.EqualValues(t, len(answer), r.GetContent().GetResponseBytes())
	require.Equal(t, wordsOf(t, body), wordsOf(t, string(answer)), "captured as one joined response")
	require.Contains(t, string(answer), `"finish_reason":"stop"`)
}

// wordsOf returns the text of a chat completion or of its chunks.
func wordsOf(t *testing.T, body string) string {
	var all strings.Builder
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimPrefix(line, "data: ")
		if !strings.HasPrefix(line, "{") {
			continue
		}
		type message struct{ Content string }
		var part struct {
			Choices []struct{ Delta, Message message }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &part), line)
		for _, c := range part.Choices {
			all.WriteString(c.Delta.Content + c.Message.Content)
		}
	}
	require.NotEmpty(t, all.String())
	return all.String()
}

func TestStreamBreakingAfterContent(t *testing.T) {
	g := newRig(t, nil)
	_, body := g.call(http.MethodPost, chatPath, `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],"x_sandbox":{"chunks":5,"break_after":2}}`)
	last := body[strings.LastIndex(strings.TrimSuffix(body, "\n\n"), "\n\n")+2:]
	require.True(t, strings.HasPrefix(last, `data: {"error":`), body)
	require.Contains(t, last, "PROVIDER_STREAM_INTERRUPTED")
	require.NotContains(t, body, "[DONE]")
	r := g.record()
	require.Equal(t, recordv1.Outcome_OUTCOME_INTERRUPTED, r.GetOutcome())
	require.Positive(t, r.GetCostNanoUsd())
	answer := string(r.GetContent().GetResponse())
	require.Equal(t, wordsOf(t, body), wordsOf(t, answer), "the received part is captured")
	require.Contains(t, answer, `"finish_reason":null`)
}

// slip returns the key with its last character mistyped.
func slip(key string) string {
	last := "0"
	if strings.HasSuffix(key, last) {
		last = "1"
	}
	return key[:len(key)-1] + last
}

func TestRequestsWithoutAKeyAreRejected(t *testing.T) {
	g := newRig(t, nil)
	tests := []struct{ name, header, code string }{
		{"none", "Authorization: ", "AUTH_MISSING_KEY"},
		{"empty bearer", "Authorization: Bearer ", "AUTH_MISSING_KEY"},
		{"other scheme", "Authorization: Basic abc", "AUTH_MISSING_KEY"},
		{"malformed", "Authorization: Bearer nonsense", "AUTH_INVALID_KEY"},
		{"no character of a key", "Authorization: Bearer " + g.key[:len(g.key)-1] + "!", "AUTH_INVALID_KEY"},
		{"one character off", "Authorization: Bearer " + slip(g.key), "AUTH_INVALID_KEY"},
	}
	for _, tt := range tests {
		res, body := g.call(http.MethodPost, chatPath, hello, tt.header)
		require.Equal(t, http.StatusUnauthorized, res.StatusCode, tt.name)
		require.Contains(t, body, tt.code, tt.name)
	}
	require.Zero(t, g.keyauth.questions())
	for _, header := range []string{"api-key", "x-api-key"} {
		res, body := g.call(http.MethodPost, chatPath, hello, "Authorization: ", header+": "+g.key)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
	}
}

// A rejected client gets the error at once, even if it does not send its body.
func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	g := newRig(t, nil)
	for _, head := range []string{
		"POST " + chatPath + " HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nx",
		"POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nx",
		"POST " + chatPath + " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", g.server.Listener.Addr().String())
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
		_, err = conn.Write([]byte(head))
		require.NoError(t, err)
		status, err := bufio.NewReader(conn).ReadString('\n')
		require.NoError(t, err)
		require.Regexp(t, "HTTP/1.1 40[14] ", status)
		require.NoError(t, conn.Close())
	}
}

func TestPathsAndMethods(t *testing.T) {
	g := newRig(t, nil)
	for _, path := range []string{"//proxy//v1/chat/completions", chatPath + "/", chatPath + "//"} {
		res, body := g.call(http.MethodPost, path, hello)
		require.Equal(t, http.StatusOK, res.StatusCode, "%s %s", path, body)
	}
	res, body := g.call(http.MethodGet, chatPath, "")
	require.Equal(t, http.StatusMethodNotAllowed, res.StatusCode)
	require.Equal(t, "POST", res.Header.Get("Allow"))
	require.Contains(t, body, "METHOD_NOT_ALLOWED")
	for _, path := range []string{"/proxy/v1/responses/resp_1/nope", "/proxy/v1", "/proxy/v1/nope", "/"} {
		res, body := g.call(http.MethodPost, path, hello)
		require.Equal(t, http.StatusNotFound, res.StatusCode, path)
		require.Contains(t, body, "ENDPOINT_NOT_FOUND")
		require.Equal(t, "application/json", res.Header.Get("Content-Type"))
		require.Equal(t, "false", res.Header.Get("X-Should-Retry"))
	}
}

func TestBodies(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxBody = 2000 })
	big := strings.Replace(hello, "hi", strings.Repeat("x", 3000), 1)
	tests := []struct {
		name, body, header, code string
		status                   int
	}{
		{"too large", big, "A: b", "REQUEST_TOO_LARGE", 413},
		{"form", hello, "Content-Type: application/x-www-form-urlencoded", "UNSUPPORTED_MEDIA_TYPE", 415},
		{"compressed", hello, "Content-Encoding: br", "UNSUPPORTED_MEDIA_TYPE", 415},
		{"empty", "", "A: b", "INVALID_JSON", 400},
		{"nested error", "{}{}", "X-Error-Format: openai", `{"error":{"message":`, 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, body := g.call(http.MethodPost, chatPath, tt.body, tt.header)
			require.Equal(t, tt.status, res.StatusCode, body)
			require.Contains(t, body, tt.code)
			r := g.record()
			require.Equal(t, recordv1.Outcome_OUTCOME_REJECTED, r.GetOutcome())
			require.Equal(t, recordv1.Route_ROUTE_UNSPECIFIED, r.GetRoute())
			require.EqualValues(t, tt.status, r.GetStatus())
			require.Zero(t, r.GetCostNanoUsd())
		})
	}
}

func TestScopesAndModelsOfAKey(t *testing.T) {
	g := newRig(t, nil)
	g.key = g.keyauth.add(&keyauthv1.KeySettings{Scopes: []string{"chat", "models"}, Models: []string{"sandbox-small"}})
	res, body := g.call(http.MethodPost, "/proxy/v1/embeddings", `{"model":"auto","input":"x"}`)
	require.Equal(t, http.StatusForbidden, res.StatusCode)
	require.Contains(t, body, "AUTH_FORBIDDEN")
	require.Equal(t, recordv1.Endpoint_ENDPOINT_EMBEDDINGS, g.record().GetEndpoint())

	res, body = g.call(http.MethodPost, chatPath, strings.Replace(hello, "auto", "sandbox-large", 1))
	require.Equal(t, http.StatusForbidden, res.StatusCode)
	require.Contains(t, body, "MODEL_NOT_ALLOWED")

	_, body = g.call(http.MethodGet, "/proxy/v1/models", "")
	var list struct{ Data []struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	require.Len(t, list.Data, 1)
	require.Equal(t, "sandbox-small", list.Data[0].ID)
	res, _ = g.call(http.MethodGet, "/proxy/v1/models/sandbox-large", "")
	require.Equal(t, http.StatusNotFound, res.StatusCode)
}

func TestRouterUnavailableOrWrong(t *testing.T) {
	unknown := &routerv1.Candidate{Model: "of-another-policy", Provider: "sandbox"}
	tests := []struct {
		name, reason string
		decide       func() (*routerv1.DecideResponse, error)
	}{
		{"away", "ROUTER_UNAVAILABLE", func() (*routerv1.DecideResponse, error) { return nil, errors.New("broken") }},
		{"empty", "ROUTER_BAD_DECISION", func() (*routerv1.DecideResponse, error) { return &routerv1.DecideResponse{}, nil }},
		{"unknown target", "ROUTER_BAD_DECISION", func() (*routerv1.DecideResponse, error) {
			return &routerv1.DecideResponse{Decision: &routerv1.Decision{Plan: []*routerv1.Candidate{unknown}}}, nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t, nil)
			g.router.decide = tt.decide
			res, body := g.call(http.MethodPost, chatPath, hello)
			require.Equal(t, http.StatusOK, res.StatusCode, body)
			require.Equal(t, "fallback", res.Header.Get("X-Signalbox-Route"))
			require.Equal(t, tt.reason, g.record().GetReason().GetCode())

			res, _ = g.call(http.MethodPost, chatPath, strings.Replace(hello, "auto", "sandbox-large", 1))
			require.Equal(t, "expected", res.Header.Get("X-Signalbox-Route"), "an explicit name needs no router")
		})
	}
}

func TestRefusalOfTheRouterReachesTheClient(t *testing.T) {
	g := newRig(t, nil)
	g.router.decide = func() (*routerv1.DecideResponse, error) {
		return nil, apperr.New(apperr.PolicyDenied, "batch runs at night").With("policy", map[string]string{"rule": "night-batch"})
	}
	res, body := g.call(http.MethodPost, chatPath, hello)
	require.Equal(t, http.StatusForbidden, res.StatusCode)
	require.Contains(t, body, "batch runs at night")
	require.Contains(t, body, "night-batch")
	require.Equal(t, "POLICY_DENIED", g.record().GetCode())
}

func TestHealthAndReadiness(t *testing.T) {
	g := newRig(t, nil)
	res, _ := g.call(http.MethodGet, "/health", "", "Authorization: ")
	require.Equal(t, http.StatusOK, res.StatusCode)
	res, body := g.call(http.MethodGet, "/readyz", "", "Authorization: ")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, body, g.router.policy.Version())
}
