package access

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
)

// The key has a pinned user, so the request is of that user whatever its client says.
func TestBudgetsByCommandLine(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	out, _ := commands.Run(t, "keys", "edit", key[:14], "--user", "ada", "--agent", "ci-bot", "--json", "--data", data)
	var edited keyView
	require.NoError(t, json.Unmarshal([]byte(out), &edited))
	require.Equal(t, "ada", *edited.User)
	require.Equal(t, "ci-bot", *edited.Agent)
	out, _ = commands.Run(t, "budgets", "set", "users", "--user", "*", "--usd-per-week", "2.50", "--usd-total", "40", "--data", data)
	require.Regexp(t, `(?m)^Applies to +user \*$`, out)
	require.Regexp(t, `(?m)^Per week +\$2\.50$`, out)
	commands.Run(t, "budgets", "set", "bots", "--agent", "ci-bot", "--usd-per-hour", "1", "--data", data)

	require.Eventually(t, func() bool {
		clitest.SendChat(t, base, key, "auto")
		var all cli.List[groupBudgetView]
		out, err := commands.RunOffline(t, "budgets", "list", "--json", "--data", data)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal([]byte(out), &all))
		require.Len(t, all.Items, 2)
		bots, users := all.Items[0], all.Items[1]
		return len(bots.Spent) == 1 && bots.Spent[0].NanoUSD > 0 && bots.Spent[0].Member == nil && bots.Spent[0].Window == "hour" &&
			len(users.Spent) == 2 && strings.HasPrefix(*users.Spent[0].Member, "sha256-") && users.Spent[1].LimitNanoUSD == 40e9
	}, 20*time.Second, 100*time.Millisecond, "the ledger reports what the budgets have spent")
	out, _ = commands.Run(t, "budgets", "list", "--data", data)
	require.Regexp(t, `(?m)^users +user \* +week +\$2\.50 +sha256-\S+ +\$0\.0`, out)

	_, err := commands.RunOffline(t, "budgets", "set", "x", "--usd-total", "1", "--data", data)
	require.ErrorContains(t, err, "say which requests")
	_, err = commands.RunOffline(t, "budgets", "set", "x", "--user", "a", "--tag", "b", "--usd-total", "1", "--data", data)
	require.ErrorContains(t, err, "one selector")
	commands.Run(t, "budgets", "remove", "bots", "--yes", "--data", data)
	_, err = commands.RunOffline(t, "budgets", "remove", "bots", "--yes", "--data", data)
	require.ErrorContains(t, err, "no such budget (NOT_FOUND)")
}
