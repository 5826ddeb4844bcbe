package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// TestRoutes sees every kind of route from outside and in the ledger.
func TestRoutes(t *testing.T) {
	s := newSignals(t, Start)
	t.Run("expected", s.expected)
	for name := range stumbles {
		t.Run("fallback after "+name, func(t *testing.T) { s.fallback(t, name) })
	}
	t.Run("fallback by an open breaker", s.breakerOpen)
	t.Run("policy by the key's tag", s.byTag)
	t.Run("policy by residency", s.byResidency)
	t.Run("policy by the budget", s.byBudget)
	t.Run("a conversation stays, and leaves what fails", s.conversation)
	t.Run("denied", func(t *testing.T) { s.denied(t, "auto") })
}

func (s *signals) expected(t *testing.T) {
	for _, more := range []string{"", streamed} {
		r := s.served(t, "", chat("auto", more), "good", "us", "expected")
		require.Equal(t, []string{"FIRST_ELIGIBLE", "in-order"}, []string{r.Reason.Code, r.Reason.Rule})
		require.Equal(t, []string{"good@us"}, r.tried())
		require.Equal(t, []string{"good@us CHOSEN", "large@eu FALLBACK"}, r.judged())
	}
	r := s.served(t, "", chat("large", ""), "large", "eu", "expected")
	require.Equal(t, "EXPLICIT_MODEL", r.Reason.Code)
}

func (s *signals) fallback(t *testing.T, name string) {
	r := s.served(t, "", chat("to-"+name, streamed), "large", "eu", "fallback")
	first := name + "@" + placeOf(name)
	require.Equal(t, []string{first + " " + stumbles[name].code, "large@eu"}, r.tried())
	require.Equal(t, []string{first + " CHOSEN", "large@eu FALLBACK"}, r.judged(), "what was decided is kept as it was")
	require.Equal(t, []string{"FIRST_ELIGIBLE", "in-order"}, []string{r.Reason.Code, r.Reason.Rule})
}

func (s *signals) breakerOpen(t *testing.T) {
	for range 3 {
		r := s.served(t, "", chat("pair", ""), "pair", "eu", "fallback")
		require.Equal(t, []string{"pair@us PROVIDER_UPSTREAM_ERROR", "pair@eu"}, r.tried())
	}
	calls := len(s.us.Received())
	r := s.served(t, "", chat("pair", ""), "pair", "eu", "fallback")
	require.Equal(t, []string{"pair@us BREAKER_OPEN", "pair@eu"}, r.tried())
	require.Len(t, s.us.Received(), calls, "nobody was called")
}

// The first answers use up half of a budget; from then on the rule for that
// applies, with the figure that it went by.
func (s *signals) byBudget(t *testing.T) {
	key := s.operator.makeKey(map[string]any{"budget": map[string]any{"nano_usd_per_day": 2_000_000}}).Key
	body := chat("auto", `,"max_tokens":20`)
	for range 100 {
		res, text, r := s.signal(t, key, body)
		require.Equal(t, http.StatusOK, res.StatusCode, text)
		if r.Model == "large" {
			require.Equal(t, "policy", *r.Route)
			require.Equal(t, []string{"RULE_TARGET", "thrift"}, []string{r.Reason.Code, r.Reason.Rule})
			require.Contains(t, r.Reason.Text, "budget.used_percent is 5")
			return
		}
		require.Equal(t, "expected", *r.Route)
	}
	require.Fail(t, "the budget is never half used")
}

func (s *signals) byTag(t *testing.T) {
	key := s.operator.makeKey(map[string]any{"tags": []string{"legal"}}).Key
	r := s.served(t, key, chat("auto", ""), "large", "eu", "policy")
	require.Equal(t, []string{"RULE_TARGET", "lawyers"}, []string{r.Reason.Code, r.Reason.Rule})
	require.Contains(t, r.Reason.Text, "key.tag is legal")
	require.Equal(t, []string{"large@eu"}, r.tried())
}

func (s *signals) byResidency(t *testing.T) {
	key := s.operator.makeKey(map[string]any{"tags": []string{"eu"}}).Key
	calls := len(s.us.Received())
	r := s.served(t, key, chat("auto", ""), "large", "eu", "policy")
	require.Equal(t, []string{"FIRST_ELIGIBLE", "europe"}, []string{r.Reason.Code, r.Reason.Rule})
	require.Equal(t, []string{"good@us EXCLUDED_BY_RULE", "large@eu CHOSEN"}, r.judged())
	require.Len(t, s.us.Received(), calls)
}

// conversation has the place of a conversation fail for a moment: that request
// is served by the best of the others, and the next again where it belongs.
func (s *signals) conversation(t *testing.T) {
	s.served(t, "", chat("loyal", `,"metadata":{"begin":"large"}`), "large", "eu", "policy")
	for range 2 {
		r := s.served(t, "", chat("loyal", ""), "large", "eu", "expected")
		require.Equal(t, []string{"STICKY", "in-order"}, []string{r.Reason.Code, r.Reason.Rule})
		s.eu.Script(scripted.JSON(http.StatusInternalServerError, `{}`))
		r = s.served(t, "", chat("loyal", streamed), "good", "us", "fallback")
		require.Equal(t, []string{"large@eu PROVIDER_UPSTREAM_ERROR", "good@us"}, r.tried())
	}
}

// denied is refused by a rule, which the client and the ledger are told.
func (s *signals) denied(t *testing.T, route string) {
	calls := len(s.us.Received()) + len(s.eu.Received())
	res, text, r := s.signal(t, "", chat(route, `,"metadata":{"purpose":"batch"}`))
	require.Equal(t, http.StatusForbidden, res.StatusCode, text)
	require.Equal(t, []string{"POLICY_DENIED", "false", ""}, []string{
		res.Header.Get("X-Error-Code"), res.Header.Get("X-Should-Retry"), res.Header.Get("X-Signalbox-Route"),
	})
	require.Contains(t, text, "batch is not served here")
	require.Contains(t, text, "no-batch")
	require.Equal(t, []string{"rejected", "POLICY_DENIED", "no-batch"}, []string{r.Outcome, r.Code, r.Reason.Rule})
	require.Equal(t, http.StatusForbidden, r.Status)
	require.Nil(t, r.Route)
	require.Empty(t, r.Attempts)
	require.Equal(t, calls, len(s.us.Received())+len(s.eu.Received()), "nobody was called")
}
