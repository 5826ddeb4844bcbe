package access

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
)

// claim creates the owner of the operator's account.
func claim(t *testing.T, data, base string) {
	t.Helper()
	out, _ := commands.Run(t, "bootstrap", "--data", data)
	token := regexp.MustCompile(`claim\?token=([\w-]+)`).FindStringSubmatch(out)
	require.NotNil(t, token, out)
	body := `{"token":"` + token[1] + `","email":"ann@example.com","password":"correct horse battery"}`
	resp, err := http.Post(base+"/api/v1/claim", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
}

func newTestToken(t *testing.T, data string, args ...string) tokenView {
	t.Helper()
	out, _ := commands.Run(t, append([]string{"tokens", "create", "--json", "--data", data, "--name", "ci"}, args...)...)
	var made tokenView
	require.NoError(t, json.Unmarshal([]byte(out), &made), out)
	require.True(t, strings.HasPrefix(made.Token, "sbx_token_"), out)
	return made
}

// A program uses the command line from another machine with a URL and a token.
func TestTokensWorkOverHTTP(t *testing.T) {
	data, base, _ := clitest.StartGateway(t)
	_, _, said := commands.RunFailing(t, "tokens", "create", "--name", "ci", "--data", data)
	require.Contains(t, said, "has no owner")
	claim(t, data, base)
	made := newTestToken(t, data, "--scopes", "read,keys", "--expires", "30d")
	require.Equal(t, "ann@example.com", made.Email)
	at := []string{"--server", base, "--token", made.Token}
	run := func(args ...string) string {
		out, _ := commands.Run(t, append(args, at...)...)
		return out
	}
	require.Contains(t, run("keys", "create", "--name", "from ci", "--scopes", "chat", "--usd-per-day", "2.50", "--expires", "12h"), "sbx_live_")
	var all struct{ Items []keyView }
	require.NoError(t, json.Unmarshal([]byte(run("keys", "list", "--json", "--account", "operator")), &all))
	require.Equal(t, "from ci", all.Items[0].Name)
	require.Equal(t, []string{"chat"}, all.Items[0].Scopes)
	require.EqualValues(t, 2_500_000_000, all.Items[0].Budget.NanoUSDPerDay)
	require.NotNil(t, all.Items[0].ExpiresAt)
	run("keys", "edit", all.Items[0].ID, "--name", "renamed", "--expires", "never")
	require.Contains(t, run("limits", "set", "--key", all.Items[0].ID, "--requests-per-minute", "60"), "60")
	require.Contains(t, run("keys", "rotate", all.Items[0].ID, "--yes"), "renamed")
	require.Contains(t, run("keys", "revoke", all.Items[0].ID, "--yes"), "revoked")

	_, _, said = commands.RunFailing(t, append([]string{"limits", "set", "--budget-day", "5"}, at...)...)
	require.Contains(t, said, "does not have the scope write")
	_, _, said = commands.RunFailing(t, append([]string{"keys", "list", "--account", "acme"}, at...)...)
	require.Contains(t, said, "cannot act for another account")
	_, _, said = commands.RunFailing(t, append([]string{"tokens", "create", "--name", "x"}, at...)...)
	require.Contains(t, said, "API tokens cannot do this")
	_, _, said = commands.RunFailing(t, "keys", "list", "--server", base)
	require.Contains(t, said, "needs --token")
	_, _, said = commands.RunFailing(t, "keys", "list", "--server", base+"/x", "--token", made.Token)
	require.Contains(t, said, "must be an origin")

	commands.Run(t, "tokens", "revoke", made.ID, "--yes", "--data", data)
	_, _, said = commands.RunFailing(t, append([]string{"keys", "list"}, at...)...)
	require.Contains(t, said, "unknown, revoked or expired")
	require.NotContains(t, said, made.Token)
}

func TestEveryTokenExpires(t *testing.T) {
	_, err := commands.RunOffline(t, "tokens", "create", "--expires", "never", "--data", os.TempDir())
	require.ErrorContains(t, err, "every token expires")
}
