package failure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/failure"
)

// dashboardCodes are the codes that no record of a request has.
var dashboardCodes = map[apperr.Code]bool{
	apperr.AuthMissingKey: true, apperr.AuthInvalidKey: true, // without a valid key there is no record
	apperr.SessionRequired: true, apperr.LoginFailed: true, apperr.TooManyAttempts: true, apperr.RegistrationOff: true,
	apperr.EmailTaken: true, apperr.TokenInvalid: true, apperr.NotFound: true, apperr.CrossOrigin: true,
	apperr.PolicyInvalid: true, apperr.PolicyTestFailed: true, apperr.PolicyConflict: true, apperr.PolicyReadOnly: true,
	apperr.StoreUnavailable: true,
}

func TestEveryCodeOfARequestHasACause(t *testing.T) {
	for _, code := range apperr.Codes() {
		g := failure.Group{Key: failure.Key{Code: code, Subject: "it"}, Requests: 2}
		for _, operator := range []bool{false, true} {
			text := g.Sentence(operator, nil)
			require.Equal(t, dashboardCodes[code], strings.Contains(text, "failed with the code"), code)
			require.NotContains(t, text, "{", code)
			require.True(t, strings.HasPrefix(text, "2 requests "), text)
			require.True(t, strings.HasPrefix(g.Next(operator).Link, "/"), code)
			action := g.Action(operator)
			require.True(t, strings.HasSuffix(text, ": "+action), text)
			require.LessOrEqual(t, len(strings.Fields(action)), 12, action)
			require.NotRegexp(t, `^\w+ it\b|\bthem\b`, action, "pages show the action before the sentence")
		}
	}
}

func TestSentences(t *testing.T) {
	group := func(n int64, k failure.Key, name, message string) *failure.Group {
		return &failure.Group{Key: k, Requests: n, Name: name, NewestError: message}
	}
	for want, g := range map[string]*failure.Group{
		"14 requests hit ci's limit of 3 requests per minute: raise the limit or add a second key": group(14, failure.Key{Code: apperr.RateLimitExceeded, Subject: "k"},
			"ci", "the key's limit of 3 requests per minute is reached; try again in 2 s"),
		"1 request hit the account's limit of 1 token per minute: raise the limit": group(1, failure.Key{Code: apperr.RateLimitExceeded, Account: true},
			"", "this request is estimated at 9 tokens, more than the account's limit of 1 token per minute allows at once"),
		"2 requests hit ci's limit of 5 concurrent requests: raise the limit, or send fewer requests at the same time": group(2, failure.Key{Code: apperr.ConcurrencyLimitExceeded, Subject: "k"},
			"ci", "the key's limit of 5 concurrent requests is reached; try again"),
		"12,345 requests did not fit into ci's budget of $10.00 a day: raise the budget, or use cheaper models": group(12345, failure.Key{Code: apperr.BudgetExceeded, Subject: "k"},
			"ci", "the key's budget of $10.00 a day is used up: $10.00 is spent"),
		"3 requests asked for gpt-9, which does not exist or has no provider: use a name from the list of models": group(3, failure.Key{Code: apperr.ModelNotFound, Subject: "gpt-9"}, "", ""),
		"1 request failed with the code unknown: open a request to see why":                                       group(1, failure.Key{}, "", "odd"),
	} {
		require.Equal(t, want, g.Sentence(false, nil))
	}
	slow := group(2, failure.Key{Code: apperr.ProviderTimeout}, "", "")
	require.Contains(t, slow.Sentence(true, []failure.Endpoint{{Provider: "p", Model: "m"}}), "in time (m at p): raise the provider's timeout")
	require.Contains(t, slow.Sentence(true, []failure.Endpoint{{Provider: "p", Model: "m"}, {Provider: "q", Model: "m"}}), "(mostly m at p)")
}

// TestCounterIsBounded checks that small groups are merged, and that no request is lost.
func TestCounterIsBounded(t *testing.T) {
	var c failure.Counter
	at := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	for n := range 1000 {
		requests := int64(1)
		if n%100 == 0 {
			requests = 50
		}
		c.Add(failure.Group{Key: failure.Key{Code: apperr.ModelNotFound, Subject: strings.Repeat("m", n+1)}, Newest: at}, failure.Step{Start: at, Requests: requests})
	}
	c.Add(failure.Group{Key: failure.Key{Code: apperr.Internal}, Newest: at}, failure.Step{Start: at, Requests: 40})
	sum := c.Summary()
	require.EqualValues(t, 990+10*50+40, sum.Requests)
	require.Equal(t, []failure.CodeCount{{Code: apperr.ModelNotFound, Requests: 990 + 10*50}, {Code: apperr.Internal, Requests: 40}}, sum.Codes)
	require.Len(t, sum.Groups, failure.MaxGroups)
	require.EqualValues(t, 1001-failure.MaxGroups, sum.OtherGroups)
	listed := sum.OtherRequests
	for i, g := range sum.Groups {
		require.Equal(t, i < 10, g.Requests == 50)
		listed += g.Requests
	}
	require.Equal(t, sum.Requests, listed)
}
