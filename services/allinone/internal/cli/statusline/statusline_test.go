package statusline

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// patience is a limit that only a command that hangs exceeds.
const patience = time.Minute

// run runs the command with the variables of Claude Code. It must succeed.
func run(t *testing.T, in io.Reader, environ ...string) string {
	t.Helper()
	return runWithin(t, patience, in, environ...)
}

func runWithin(t *testing.T, limit time.Duration, in io.Reader, environ ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	program := &cli.Program{Sections: []cli.Section{{Commands: commands(limit)}}}
	err := program.Dispatch(t.Context(), cli.Invocation{Args: []string{"statusline"}, Environ: environ, In: in, Out: &out, Err: &errs})
	require.NoError(t, err)
	require.Empty(t, errs.String())
	require.Equal(t, 1, strings.Count(out.String(), "\n"))
	return strings.TrimSuffix(out.String(), "\n")
}

// input returns what Claude Code sends.
func input(session string) io.Reader {
	return strings.NewReader(`{"hook_event_name":"Status","session_id":"` + session + `","model":{"id":"claude-auto","display_name":"claude-auto"},"cost":{"total_cost_usd":0.5}}`)
}

func serve(t *testing.T, h http.HandlerFunc) (base string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return "ANTHROPIC_BASE_URL=" + s.URL + "/proxy"
}

func TestTheLineShowsTheTotals(t *testing.T) {
	key := apikey.New()
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/proxy/v1/session" || r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		switch r.URL.Query().Get("id") {
		case "a b":
			_, _ = io.WriteString(w, `{"id":"a b","model":"gpt-5.4-mini","cost_nano_usd":12345000,"saved_nano_usd":1999999999}`)
		case "dear":
			_, _ = io.WriteString(w, `{"model":"large\u001b[2J","cost_nano_usd":1,"saved_nano_usd":-20000}`)
		default:
			_, _ = io.WriteString(w, `{"model":"","cost_nano_usd":0,"saved_nano_usd":0}`)
		}
	})
	for session, want := range map[string]string{
		"a b": "gpt-5.4-mini · $0.0123 · saved $2.00", "dear": "large?[2J · <$0.0001 · <$0.0001 more than the baseline", "new": "$0.0000",
	} {
		require.Equal(t, want, run(t, input(session), base, "ANTHROPIC_AUTH_TOKEN="+key))
		require.Equal(t, want, run(t, input(session), base+"/", "ANTHROPIC_AUTH_TOKEN=", "ANTHROPIC_API_KEY="+key))
	}
}

func TestEveryFailureIsOneLine(t *testing.T) {
	key := "ANTHROPIC_AUTH_TOKEN=" + apikey.New()
	status := func(code int) string {
		return serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	moved := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
	for want, environ := range map[string][]string{
		"not connected; run signalbox connect claude": {key},
		"the gateway cannot be reached":               {key, "ANTHROPIC_BASE_URL=http://127.0.0.1:1/proxy"},
		"ANTHROPIC_BASE_URL is not a URL":             {key, "ANTHROPIC_BASE_URL=:"},
		"no requests in this session yet":             {key, status(http.StatusNotFound)},
		"the key is invalid, expired or revoked":      {key, status(http.StatusUnauthorized)},
		"the gateway responded with status 429":       {key, status(http.StatusTooManyRequests)},
		"the gateway responded with status 302":       {key, moved},
		"the gateway sent no session":                 {key, status(http.StatusOK)},
	} {
		require.Equal(t, "Signalbox: "+want, run(t, input("s"), environ...))
	}
	for _, bad := range []string{"", "{}", "[]", "no JSON"} {
		require.Contains(t, run(t, strings.NewReader(bad), key), "Signalbox: no session in the input")
	}
}

// The key of another service is not sent to any server.
func TestAnotherServiceGetsNoRequest(t *testing.T) {
	base := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	require.Contains(t, run(t, input("s"), base, "ANTHROPIC_API_KEY=sk-ant-mine"), "not connected")
}

// Neither an input that never ends nor a gateway that never responds keeps the command.
func TestNothingBlocksTheLine(t *testing.T) {
	open, end := io.Pipe()
	defer func() { _ = end.Close() }()
	key := "ANTHROPIC_AUTH_TOKEN=" + apikey.New()
	require.Contains(t, runWithin(t, timeout, open, key), "no session in the input")
	hung := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	require.Equal(t, "Signalbox: the gateway did not respond in time", runWithin(t, timeout, input("s"), key, hung))
}

func TestAmountsAreRounded(t *testing.T) {
	for nano, want := range map[int64]string{
		0: "$0.0000", 1: "<$0.0001", 99_999: "<$0.0001", 100_000: "$0.0001", 149_999: "$0.0001", 150_000: "$0.0002",
		999_949_999: "$0.9999", 999_950_000: "$1.0000", nanoPerDollar: "$1.00", 1_234_999_999: "$1.23", 1_235_000_000: "$1.24",
		math.MaxInt64: "$9223372036.85",
	} {
		require.Equal(t, want, formatUSD(nano), nano)
	}
}
