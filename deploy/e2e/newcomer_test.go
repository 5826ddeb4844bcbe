package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	SetParallel(4)
	os.Exit(Main(m))
}

// A new user copies the printed command, claims the account and finds the request in
// the ledger.
func TestThePrintedLineWorksAndIsRecorded(t *testing.T) {
	t.Parallel()
	box := Start(t)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", box.Curl+" -sS").CombinedOutput()
	require.NoError(t, err, "%s", out)
	head, body, ok := strings.Cut(string(out), "\r\n\r\n")
	require.True(t, ok, "%s", out)
	require.Contains(t, head, "200 OK")
	headers := headerLines(head)
	require.Equal(t, "sandbox-small", headers["x-signalbox-model"])
	require.Equal(t, "sandbox", headers["x-signalbox-provider"])
	require.Equal(t, "expected", headers["x-signalbox-route"])
	require.NotEmpty(t, headers["x-signalbox-cost-usd"])
	require.NotEmpty(t, headers["x-signalbox-policy"])

	var answer struct {
		Model   string
		Choices []struct{ Message struct{ Content string } }
	}
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	require.Equal(t, "sandbox-small", answer.Model)
	require.NotEmpty(t, answer.Choices[0].Message.Content)

	rec := box.SignInOperator().AwaitRecord(headers["x-request-id"])
	require.Equal(t, "auto", rec.RequestedModel)
	require.Equal(t, "sandbox-small", rec.Model)
	require.Equal(t, "sandbox", rec.Provider)
	require.Equal(t, "expected", *rec.Route)
	require.Equal(t, "ok", rec.Outcome)
	require.Equal(t, "sandbox-large", rec.Baseline.Model)
	require.Positive(t, rec.LatencyUS)
	require.Positive(t, *rec.Cost)
	require.Greater(t, *rec.Baseline.Cost, *rec.Cost)
	require.Equal(t, *rec.Baseline.Cost-*rec.Cost, *rec.Saved)
	require.Eventually(t, func() bool { return strings.Contains(box.Output(), headers["x-request-id"]) },
		waitTimeout, pollInterval, "one line per request")
}

func headerLines(head string) map[string]string {
	headers := map[string]string{}
	for line := range strings.SplitSeq(head, "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			headers[strings.ToLower(name)] = value
		}
	}
	return headers
}

func TestFallbackIsServedAndReported(t *testing.T) { forEachDeployment(t, fallbackIsServedAndReported) }

func fallbackIsServedAndReported(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	operator := box.SignInOperator()
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}],
		"x_sandbox":{"models":{"sandbox-small":{"status":503}}}}`)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "fallback", res.Header.Get("X-Signalbox-Route"))
	require.Equal(t, "sandbox-medium", res.Header.Get("X-Signalbox-Model"))

	rec := operator.AwaitRecord(res.Header.Get("X-Request-Id"))
	require.Equal(t, "fallback", *rec.Route)
	require.Len(t, rec.Attempts, 2)
	require.Equal(t, "PROVIDER_OVERLOADED", rec.Attempts[0].Code)
	require.Empty(t, rec.Attempts[1].Code)
}

func TestErrorsHaveOneFormatAndARecord(t *testing.T) {
	forEachDeployment(t, errorsHaveOneFormatAndARecord)
}

func errorsHaveOneFormatAndARecord(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	operator := box.SignInOperator()
	tests := []struct {
		name, path, body string
		status           int
		code             string
	}{
		{"no JSON", "/chat/completions", `{`, 400, "INVALID_JSON"},
		{"no messages", "/chat/completions", `{"model":"auto"}`, 400, "INVALID_REQUEST"},
		{"unknown model", "/chat/completions", `{"model":"gpt-nope","messages":[{"role":"user","content":"x"}]}`, 404, "MODEL_NOT_FOUND"},
		{"every target fails", "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"x"}],"x_sandbox":{"status":500}}`, 502, "PROVIDER_UPSTREAM_ERROR"},
		{"unknown embedding model", "/embeddings", `{"model":"nope","input":"x"}`, 404, "MODEL_NOT_FOUND"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, err := box.Post(t.Context(), tt.path, tt.body)
			require.NoError(t, err)
			defer func() { _ = res.Body.Close() }()
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.Equal(t, tt.status, res.StatusCode, "%s", body)
			var e struct {
				Error   string         `json:"error"`
				Code    string         `json:"code"`
				Details map[string]any `json:"details"`
			}
			require.NoError(t, json.Unmarshal(body, &e))
			require.Equal(t, tt.code, e.Code)
			require.NotEmpty(t, e.Error)
			require.Equal(t, tt.code, res.Header.Get("X-Error-Code"))
			require.NotEmpty(t, res.Header.Get("X-Should-Retry"))
			require.Equal(t, res.Header.Get("X-Request-Id"), e.Details["request_id"])
			require.Equal(t, tt.code, operator.AwaitRecord(res.Header.Get("X-Request-Id")).Code)
		})
	}
}

func TestAKeyWorksUntilItIsRevoked(t *testing.T) { forEachDeployment(t, aKeyWorksUntilItIsRevoked) }

func aKeyWorksUntilItIsRevoked(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	operator := box.SignInOperator()
	var made struct{ ID, Key string }
	status, body := operator.Call(http.MethodPost, "/keys", map[string]string{"name": "second"}, &made)
	require.Equal(t, http.StatusCreated, status, "%s", body)
	box.Key = made.Key
	ask := func() int {
		res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		return res.StatusCode
	}
	require.Equal(t, http.StatusOK, ask())
	status, body = operator.Call(http.MethodDelete, "/keys/"+made.ID, nil, nil)
	require.Less(t, status, 300, "%s", body)
	require.Eventually(t, func() bool { return ask() == http.StatusUnauthorized }, waitTimeout, pollInterval)
}

func TestAccountsAreApart(t *testing.T) { forEachDeployment(t, accountsAreApart) }

func accountsAreApart(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	operator := box.SignInOperator()
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	id := res.Header.Get("X-Request-Id")
	operator.AwaitRecord(id)

	other := box.NewVisitor()
	status, body := other.CallWithPassword("/register", map[string]string{"email": "b@example.com", "password": "another fine password"}, nil)
	require.Less(t, status, 300, "%s", body)
	require.Empty(t, other.ListRecords())
	status, _ = other.Call(http.MethodGet, "/requests/"+id, nil, nil)
	require.Equal(t, http.StatusNotFound, status)
}
