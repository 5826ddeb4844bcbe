package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRecordedRequestsAreReplayed: the version in force makes no difference to
// its own records, and another one makes the one that its prices say.
func TestRecordedRequestsAreReplayed(t *testing.T) {
	data, base, key := gateway(t)
	for _, model := range []string{"auto", "auto", "sandbox-small", "no-such-model"} {
		ask(t, base, key, model)
	}
	again := func(args ...string) (r replayed) {
		out, _ := run(t, append([]string{"policy", "replay", "--json", "--data", data}, args...)...)
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		return r
	}
	require.Eventually(t, func() bool { return again().Requests == 4 }, 20*time.Second, 50*time.Millisecond)
	same := again()
	require.Zero(t, same.Flips)
	require.Zero(t, same.Difference)
	require.Positive(t, same.Before)
	require.Equal(t, same.Before, same.After)
	require.Zero(t, same.Unpriced)
	require.Zero(t, same.Skipped)

	draft := file(t, "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-large}]}}\n")
	other := again("--draft", draft, "--days", "1")
	require.EqualValues(t, 2, other.Flips, "what asked for a route")
	require.Equal(t, same.Before, other.Before)
	require.Positive(t, other.Difference)
	require.Equal(t, other.After-other.Before, other.Difference)
	require.Len(t, other.Losers, 2)
	require.Equal(t, "sandbox-large", other.Losers[0].After.Model)
	require.NotEqual(t, same.Version, other.Version)

	out, _ := run(t, "policy", "replay", "--draft", draft, "--data", data)
	require.Regexp(t, `(?m)^Flips +2 `, out)
	require.Contains(t, out, usd(other.Difference))
	require.Equal(t, 3, strings.Count(out, "REQUESTS"), out)
	_, _, said := fails(t, "policy", "replay", "--draft", file(t, bad), "--data", data)
	require.Contains(t, said, "POLICY_INVALID")
}

// TestRefusalsAreReplayedAsSuch, also those for what was read in a text that is
// not kept.
func TestRefusalsAreReplayedAsSuch(t *testing.T) {
	data, base, key := gateway(t)
	run(t, "policy", "publish", "--data", data, file(t, "version: 1\nmodels: {sandbox-small: {}}\n"+
		"routes: {auto: {select: [{name: no-greetings, when: {feature.words: {gte: 1}}, deny: not here}, {target: sandbox-small}]}}\n"))
	var r replayed
	require.Eventually(t, func() bool {
		ask(t, base, key, "auto")
		out, _ := run(t, "policy", "replay", "--json", "--data", data, "--filter", "code:POLICY_DENIED")
		return json.Unmarshal([]byte(out), &r) == nil && r.Requests > 0
	}, 20*time.Second, 50*time.Millisecond)
	require.Zero(t, r.Flips)
	require.Zero(t, r.Skipped)
}

// TestATestThatFailsIsAnExitCode, with the place for an editor to go to.
func TestATestThatFailsIsAnExitCode(t *testing.T) {
	const tested = "version: 1\nmodels: {sandbox-small: {}}\nroutes:\n  auto:\n    select: [{target: sandbox-small}]\n    tests:\n" +
		"      - {name: greetings, request: {messages: [{role: user, content: hi}]}, expect: {model: sandbox-small}}\n"
	path := file(t, tested)
	out, _ := run(t, "policy", "test", path)
	require.Contains(t, out, ", 1 tests")
	path = file(t, tested+"      - {name: wrong, request: {messages: [{role: user, content: hi}]}, expect: {route: policy}}\n")
	_, errs, said := fails(t, "policy", "test", path)
	require.True(t, strings.HasPrefix(errs, path+":8:10: routes.auto.tests[1]: TEST_FAILED: \"wrong\": want route policy; got model sandbox-small"), errs)
	require.Contains(t, said, "1 of 2 tests fail")
}
