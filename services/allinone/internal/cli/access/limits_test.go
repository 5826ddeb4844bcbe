package access

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// TestLimits sets limits, shows them next to the spend, and removes them again.
func TestLimits(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	out, _ := commands.Run(t, "limits", "set", "--requests-per-minute", "600", "--budget-day", "0.000000001", "--budget-month", "50.5", "--json", "--data", data)
	var a accountView
	require.NoError(t, json.Unmarshal([]byte(out), &a))
	require.Equal(t, allLimitsView{limitsView{RequestsPerMinute: 600}, budgetView{1, 50_500_000_000}}, a.Limits)
	out, _ = commands.Run(t, "limits", "set", "--budget-day", "0", "--data", data)
	require.Regexp(t, `(?m)^Requests per minute +600$`, out, "what is not named stays")
	require.Regexp(t, `(?m)^Daily budget +none$`, out)
	out, _ = commands.Run(t, "limits", "set", "--key", key[:14], "--tokens-per-minute", "9000000", "--data", data)
	require.Regexp(t, `(?m)^Tokens per minute +9000000$`, out)
	require.Regexp(t, `(?m)^Monthly budget +none$`, out, "the key's own")

	clitest.SendChat(t, base, key, "auto")
	var all limitsReport
	require.Eventually(t, func() bool {
		out, err := commands.RunOffline(t, "limits", "--json", "--data", data)
		return err == nil && json.Unmarshal([]byte(out), &all) == nil && all.Account.Spent.Day.NanoUSD > 0
	}, 20*time.Second, 20*time.Millisecond)
	require.Len(t, all.Keys, 1)
	require.Equal(t, all.Account.Spent, all.Keys[0].Spent)
	require.Equal(t, int64(9000000), all.Keys[0].Limits.TokensPerMinute)
	require.Equal(t, int64(50_500_000_000), all.Account.Limits.NanoUSDPerMonth)
	require.Empty(t, all.Account.Refusals)
	out, _ = commands.Run(t, "limits", "--data", data)
	require.Regexp(t, `(?m)^account .* monthly budget +\$50\.50 +`+regexp.QuoteMeta(cli.FormatUSD(all.Account.Spent.Month.NanoUSD))+` +\[\.{20}\] 0% +20`, out)
	require.Regexp(t, `(?m)^key .* tokens per minute +9000000 +- +- +-$`, out)

	_, err := commands.RunOffline(t, "limits", "set", "--data", data)
	require.ErrorContains(t, err, "nothing to change")
	for _, bad := range []string{"--budget-day=-1", "--budget-day=0.0000000001", "--requests-per-minute=1.5", "--budget-month=ten"} {
		_, err := commands.RunOffline(t, "limits", "set", bad, "--data", data)
		require.ErrorContains(t, err, "must be ", bad)
	}
	_, err = commands.RunOffline(t, "limits", "set", "--key", "sbx_live_nobody", "--budget-day", "1", "--data", data)
	require.ErrorContains(t, err, "no such key (NOT_FOUND)")
}

func TestAWebhookByCommandLine(t *testing.T) {
	data, _, _ := clitest.StartGateway(t)
	_, err := commands.RunOffline(t, "webhook", "test", "--data", data)
	require.ErrorContains(t, err, "(INVALID_REQUEST)")
	out, _ := commands.Run(t, "webhook", "set", "https://hooks.example.com/x", "--data", data)
	require.Regexp(t, `(?m)^Webhook +https://hooks.example.com/x$`, out)
	require.Contains(t, out, "not signed")
	var made struct{ Secret string }
	out, _ = commands.Run(t, "webhook", "secret", "--json", "--data", data)
	require.NoError(t, json.Unmarshal([]byte(out), &made))
	require.NotEmpty(t, made.Secret)
	_, err = commands.RunOffline(t, "webhook", "secret", "--data", data)
	require.ErrorIs(t, err, remote.ErrCannotConfirm, "there is one in use")
	out, _ = commands.Run(t, "webhook", "secret", "--yes", "--data", data)
	require.NotContains(t, out, made.Secret)
	out, _ = commands.Run(t, "webhook", "set", "none", "--json", "--data", data)
	var a accountView
	require.NoError(t, json.Unmarshal([]byte(out), &a))
	require.Equal(t, webhookView{URL: nil, Signed: true}, a.Webhook)
	for _, bad := range []string{"ftp://example.com", "hooks.example.com", ""} {
		_, err = commands.RunOffline(t, "webhook", "set", bad, "--data", data)
		require.Error(t, err, bad)
	}
}

func TestUsageBar(t *testing.T) {
	for want, n := range map[string][2]int64{
		"-": {5, 0}, "[....................] 0%": {0, 10}, "[#####...............] 25%": {25, 100}, "[###################.] 99%": {999_999, 1_000_000},
		"[" + strings.Repeat("#", 20) + "] 100%": {7, 7}, "[" + strings.Repeat("#", 20) + "] 150%": {15, 10},
	} {
		require.Equal(t, want, usageBar(n[0], n[1]))
	}
}
