package policies

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
)

// TestRecordedRequestsAreReplayed: the active version changes nothing about its
// own records. Another version changes the cost by its prices.
func TestRecordedRequestsAreReplayed(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	for _, model := range []string{"auto", "auto", "sandbox-small", "no-such-model"} {
		clitest.SendChat(t, base, key, model)
	}
	again := func(args ...string) (r replayReport) {
		out, _ := commands.Run(t, append([]string{"policy", "replay", "--json", "--data", data}, args...)...)
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		return r
	}
	require.Eventually(t, func() bool { return again().Requests == 4 }, 20*time.Second, 50*time.Millisecond)
	same := again()
	require.Zero(t, same.Rerouted)
	require.Zero(t, same.Difference)
	require.Positive(t, same.Before)
	require.Equal(t, same.Before, same.After)
	require.Zero(t, same.Unpriced)
	require.Zero(t, same.Skipped)

	draft := writePolicyFile(t, "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-large}]}}\n")
	other := again("--draft", draft, "--days", "1")
	require.EqualValues(t, 2, other.Rerouted, "the requests for a route")
	require.Equal(t, same.Before, other.Before)
	require.Positive(t, other.Difference)
	require.Equal(t, other.After-other.Before, other.Difference)
	require.Len(t, other.Costlier, 2)
	require.Equal(t, "sandbox-large", other.Costlier[0].After.Model)
	require.NotEqual(t, same.Version, other.Version)

	out, _ := commands.Run(t, "policy", "replay", "--draft", draft, "--data", data)
	require.Regexp(t, `(?m)^Rerouted +2 `, out)
	require.Regexp(t, `(?m)^Paid +\$.*\nDraft +\$.*\nChange +\$`, out)
	require.Regexp(t, `ROUTE +REQUESTS +REROUTED +PAID +DRAFT +CHANGE`, out)
	require.Contains(t, out, cli.FormatUSD(other.Difference))
	require.Equal(t, 3, strings.Count(out, "REQUESTS"), out)
	_, _, said := commands.RunFailing(t, "policy", "replay", "--draft", writePolicyFile(t, bad), "--data", data)
	require.Contains(t, said, "POLICY_INVALID")
}

// TestRefusalsAreReplayedAsSuch includes refusals that depend on features of a
// text that is not stored.
func TestRefusalsAreReplayedAsSuch(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	commands.Run(t, "policy", "publish", "--data", data, writePolicyFile(t, "version: 1\nmodels: {sandbox-small: {}}\n"+
		"routes: {auto: {select: [{name: no-greetings, when: {feature.words: {gte: 1}}, deny: not here}, {target: sandbox-small}]}}\n"))
	var r replayReport
	require.Eventually(t, func() bool {
		clitest.SendChat(t, base, key, "auto")
		out, _ := commands.Run(t, "policy", "replay", "--json", "--data", data, "--filter", "code:POLICY_DENIED")
		return json.Unmarshal([]byte(out), &r) == nil && r.Requests > 0
	}, 20*time.Second, 50*time.Millisecond)
	require.Zero(t, r.Rerouted)
	require.Zero(t, r.Skipped)
}

// TestFailingPolicyTestSetsTheExitCode also checks that the error names file, line and column.
func TestFailingPolicyTestSetsTheExitCode(t *testing.T) {
	const tested = "version: 1\nmodels: {sandbox-small: {}}\nroutes:\n  auto:\n    select: [{target: sandbox-small}]\n    tests:\n" +
		"      - {name: greetings, request: {messages: [{role: user, content: hi}]}, expect: {model: sandbox-small}}\n"
	path := writePolicyFile(t, tested)
	out, _ := commands.Run(t, "policy", "test", path)
	require.Contains(t, out, ", 1 test\n")
	path = writePolicyFile(t, tested+"      - {name: wrong, request: {messages: [{role: user, content: hi}]}, expect: {route: policy}}\n")
	_, errs, said := commands.RunFailing(t, "policy", "test", path)
	require.True(t, strings.HasPrefix(errs, path+":8:10: routes.auto.tests[1]: TEST_FAILED: \"wrong\": want route policy; got model sandbox-small"), errs)
	require.Contains(t, said, "1 of 2 tests failed")
}
