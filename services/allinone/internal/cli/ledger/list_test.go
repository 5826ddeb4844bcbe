package ledger

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/access"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
	"github.com/signalbox/signalbox/services/dashboard"
)

// TestAnAccountByItsID accepts every notation of a UUID, even if keyauth is
// unreachable and cannot confirm the account.
func TestAnAccountByItsID(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	clitest.SendChat(t, base, key, "auto")
	var all cli.List[struct{ ID string }]
	out, _ := clitest.Commands(access.AccountCommands()).Run(t, "accounts", "list", "--json", "--data", data)
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	id := all.Items[0].ID
	require.Eventually(t, func() bool {
		out, err := commands.RunOffline(t, "savings", "--account", id, "--data", data)
		return err == nil && regexp.MustCompile(`(?m)^Requests +1$`).MatchString(out)
	}, 20*time.Second, 20*time.Millisecond)
	for _, ref := range []string{strings.ToUpper(id), "{" + id + "}", "urn:uuid:" + id, strings.ReplaceAll(id, "-", "")} {
		out, _ = commands.Run(t, "savings", "--account", ref, "--data", data)
		require.Regexp(t, `(?m)^Requests +1$`, out, ref)
		out, errs := commands.Run(t, "savings", "--account", ref, "--data", data, "--server", "127.0.0.1:1")
		require.Regexp(t, `(?m)^Requests +1$`, out, ref)
		require.Contains(t, errs, "Cannot check whether the account exists")
	}
	_, err := commands.RunOffline(t, "savings", "--account", "operator", "--data", data, "--server", "127.0.0.1:1")
	require.ErrorContains(t, err, "cannot be reached", "a name cannot be resolved without keyauth")
}

// TestFetchRequestsReadsAllPages: a slow search returns short pages with a cursor,
// and fetchRequests continues until it has enough.
func TestFetchRequestsReadsAllPages(t *testing.T) {
	var requested []string
	data := serveDashboard(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		requested = append(requested, q.Get("cursor")+" "+q.Get("limit"))
		next := map[string]string{"": `[],"next_cursor":"x"`, "x": `[{"id":"1"},{"id":"2"}],"next_cursor":"y"`, "y": `[{"id":"3"}],"next_cursor":null`}
		_, _ = io.WriteString(w, `{"items":`+next[q.Get("cursor")]+`}`)
	})
	b := newLedgerCommand(cli.Invocation{Args: []string{"--data", data}, Err: io.Discard})
	require.NoError(t, b.RunWithDashboard(t.Context(), func() error {
		all, err := b.fetchRequests(t.Context(), 5, "")
		require.NoError(t, err)
		require.Len(t, all.Items, 3)
		require.Nil(t, all.Next)
		require.Equal(t, []string{" 5", "x 5", "y 3"}, requested)
		some, err := b.fetchRequests(t.Context(), 2, "")
		require.NoError(t, err)
		require.Len(t, some.Items, 2)
		require.Equal(t, "y", *some.Next)
		return nil
	}))
}

// serveDashboard serves the API of a dashboard. It returns the data directory of its socket.
func serveDashboard(t *testing.T, api http.HandlerFunc) (data string) {
	data, err := os.MkdirTemp("", "cli") // a short name, for the socket
	require.NoError(t, err)
	web := httptest.NewUnstartedServer(api)
	require.NoError(t, web.Listener.Close())
	web.Listener, err = net.Listen("unix", dashboard.SocketPath(data))
	require.NoError(t, err)
	web.Start()
	t.Cleanup(func() {
		web.Close()
		require.NoError(t, os.RemoveAll(data))
	})
	return data
}

func TestSessionsAreListed(t *testing.T) {
	var asked string
	data := serveDashboard(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path + "?" + r.URL.Query().Encode()
		_, _ = io.WriteString(w, `{"items":[{"id":"work","agent":"codex","user":null,"started":"a","ended":"b","requests":5,"turns":4,"side_calls":1,"errors":0,
			"unpriced":0,"cost_nano_usd":1500000000,"saved_nano_usd":-20000000,"cache_hit_percent":66.7}],"next_cursor":null}`)
	})
	base := []string{"--data", data, "--account", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "--server", "127.0.0.1:1"}
	out, _ := commands.Run(t, append([]string{"sessions", "--agent", "codex", "--user", "ann", "--from", "2026-11-01", "--search", "wo", "--sort", "cost", "--limit", "3"}, base...)...)
	require.Equal(t, "/api/v1/sessions?agent=codex&from=2026-11-01&limit=3&search=wo&sort=cost&user=ann", asked)
	require.Regexp(t, `(?m)^ENDED +SESSION +AGENT +USER +TURNS +SIDE CALLS +ERRORS +COST +SAVED +CACHE HIT$`, out)
	require.Regexp(t, `(?m)^b +work +codex +- +4 +1 +0 +\$1.50* +-\$0.020* +66.7%$`, out)
	out, _ = commands.Run(t, append([]string{"sessions", "--json"}, base...)...)
	require.Equal(t, "/api/v1/sessions?limit=20", asked)
	require.Contains(t, out, `"requests": 5`)
}

func TestAlertsAreListed(t *testing.T) {
	var asked string
	data := serveDashboard(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		_, _ = io.WriteString(w, `{"kinds":[],"events":[],"rules":[
			{"id":"1","name":"errors","kind":"error_rate","threshold":5,"window_seconds":300,"enabled":true,"channels":["c"],"author":"a@example.com"},
			{"id":"2","name":"spend","kind":"spend","threshold":0.5,"window_seconds":3600,"enabled":true,"channels":[],"author":"b@example.com"},
			{"id":"3","name":"old","kind":"spend","threshold":1,"window_seconds":60,"enabled":false,"channels":[],"author":"b@example.com"}],
			"channels":[{"id":"c","name":"ops"}],"firing":[{"rule_id":"1","subject":"prod"}]}`)
	})
	base := []string{"--data", data, "--account", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "--server", "127.0.0.1:1"}
	out, _ := commands.Run(t, append([]string{"alerts"}, base...)...)
	require.Equal(t, "/api/v1/alerts", asked)
	require.Regexp(t, `(?m)^firing: prod +errors +error_rate +5 +5m0s +ops +a@example.com$`, out)
	require.Regexp(t, `(?m)^ok +spend +spend +0.5 +1h0m0s +- +b@example.com$`, out)
	require.Regexp(t, `(?m)^off +old `, out)
}
