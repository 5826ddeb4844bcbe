package api_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

func chat(stream, script string) string {
	return `{"model":"auto","stream":` + stream + `,"messages":[{"role":"user","content":"hi"}],"x_sandbox":` + script + `}`
}

// The test runs in a synctest bubble, so all times are exact.
func TestKeepAliveLines(t *testing.T) {
	tests := []struct {
		name, script string
		after        time.Duration
		// named reports whether the headers name the model; begins is when they arrive.
		named  bool
		begins time.Duration
		lines  int
	}{
		{"in time", `{"delay_ms":9000,"first_token_ms":0,"chunk_ms":0}`, 10 * time.Second, true, 9 * time.Second, 0},
		{"silent for 41 seconds", `{"delay_ms":41000,"first_token_ms":0,"chunk_ms":0}`, 10 * time.Second, false, 10 * time.Second, 3},
		{"silent between events", `{"first_token_ms":0,"chunk_ms":31000,"chunks":2}`, 40 * time.Second, true, 31 * time.Second, 2},
		{"events often enough", `{"first_token_ms":0,"chunk_ms":9000,"chunks":4}`, 10 * time.Second, true, 9 * time.Second, 0},
		{"switched off", `{"delay_ms":99000,"first_token_ms":0,"chunk_ms":0}`, 0, true, 99 * time.Second, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t)
				g.deps.KeepAlive = api.KeepAlive{After: tt.after, Every: 15 * time.Second}
				began := time.Now()
				res, stop := g.post(t, chat("true", tt.script))
				defer stop()
				require.Equal(t, tt.begins, time.Since(began))
				require.Equal(t, tt.named, res.Header.Get("X-Signalbox-Model") != "")
				require.NotEmpty(t, res.Header.Get("X-Request-Id"))
				body := all(t, res)
				require.Equal(t, tt.lines, strings.Count(body, ": keepalive\n"), body)
				require.NotContains(t, body, "keepalive\n\n")
				require.True(t, strings.HasSuffix(body, "data: [DONE]\n\n"), body)
				require.Len(t, g.records, 1)
				require.Equal(t, ledger.OK, g.records[0].Outcome)
				require.Equal(t, decide.RouteExpected, g.records[0].Route, "the record names what served")
			})
		})
	}
}

func TestAPlainResponseHasNoKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		g.deps.KeepAlive = api.KeepAlive{After: time.Second, Every: time.Second}
		res, stop := g.post(t, chat("false", `{"delay_ms":60000}`))
		defer stop()
		require.Equal(t, "application/json", res.Header.Get("Content-Type"))
		require.Equal(t, "sandbox-small", res.Header.Get("X-Signalbox-Model"))
		require.True(t, strings.HasPrefix(all(t, res), "{"))
	})
}

// A client that has waited for the whole timeout should not retry at once.
func TestAUsedUpDeadlineIsFinal(t *testing.T) {
	for script, retry := range map[string]string{`{"hang":true}`: "false", `{"status":504}`: "true"} {
		synctest.Test(t, func(t *testing.T) {
			res, stop := newRig(t).post(t, chat("false", script))
			defer stop()
			require.Equal(t, 504, res.StatusCode)
			require.Equal(t, "PROVIDER_TIMEOUT", res.Header.Get("X-Error-Code"))
			require.Equal(t, retry, res.Header.Get("X-Should-Retry"), script)
			require.Equal(t, retry == "true", res.Header.Get("Retry-After") != "")
			require.Contains(t, all(t, res), `"retryable":`+retry)
		})
	}
}

// A panic is reported like any other error and is in the ledger.
func TestAPanicIsAnErrorWithARecord(t *testing.T) {
	for name, after := range map[string]time.Duration{"before anything was sent": 0, "after a keep-alive": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t)
				g.deps.KeepAlive = api.KeepAlive{After: after, Every: time.Minute}
				g.deps.Providers = func(*policy.Policy) dispatch.Providers {
					<-time.After(2 * time.Second) // in the bubble
					panic("secret")
				}
				res, stop := g.post(t, chat("true", `{}`))
				defer stop()
				body := all(t, res)
				require.NotContains(t, body, "secret")
				if after == 0 {
					require.Equal(t, 500, res.StatusCode)
					require.Equal(t, "INTERNAL_ERROR", res.Header.Get("X-Error-Code"))
				} else {
					require.Equal(t, 200, res.StatusCode)
					require.Regexp(t, `^: keepalive\ndata: \{"error":"internal error","code":"INTERNAL_ERROR".*\}\n\n$`, body)
				}
				require.Len(t, g.records, 1)
				require.Equal(t, ledger.Error, g.records[0].Outcome)
				require.Equal(t, "INTERNAL_ERROR", g.records[0].Code)
			})
		})
	}
}
