package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// TestRoutes checks every kind of route in the response and in the ledger.
func TestRoutes(t *testing.T) {
	t.Parallel()
	s := newRoutingRig(t, Start)
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

func (s *routingRig) expected(t *testing.T) {
	for _, more := range []string{"", streamed} {
		r := s.requireServed(t, "", chat("auto", more), "good", "us", "expected")
		require.Equal(t, []string{"FIRST_ELIGIBLE", "in-order"}, []string{r.Reason.Code, r.Reason.Rule})
		require.Equal(t, []string{"good@us"}, r.attemptLines())
		require.Equal(t, []string{"good@us CHOSEN", "large@eu FALLBACK"}, r.candidateLines())
	}
	r := s.requireServed(t, "", chat("large", ""), "large", "eu", "expected")
	require.Equal(t, "EXPLICIT_MODEL", r.Reason.Code)
}

func (s *routingRig) fallback(t *testing.T, name string) {
	r := s.requireServed(t, "", chat("to-"+name, streamed), "large", "eu", "fallback")
	first := name + "@" + providerOf(name)
	require.Equal(t, []string{first + " " + stumbles[name].code, "large@eu"}, r.attemptLines())
	require.Equal(t, []string{first + " CHOSEN", "large@eu FALLBACK"}, r.candidateLines(), "what was decided is kept as it was")
	require.Equal(t, []string{"FIRST_ELIGIBLE", "in-order"}, []string{r.Reason.Code, r.Reason.Rule})
}

func (s *routingRig) breakerOpen(t *testing.T) {
	for range 3 {
		r := s.requireServed(t, "", chat("pair", ""), "pair", "eu", "fallback")
		require.Equal(t, []string{"pair@us PROVIDER_UPSTREAM_ERROR", "pair@eu"}, r.attemptLines())
	}
	calls := len(s.us.Received())
	r := s.requireServed(t, "", chat("pair", ""), "pair", "eu", "fallback")
	require.Equal(t, []string{"pair@us BREAKER_OPEN", "pair@eu"}, r.attemptLines())
	require.Len(t, s.us.Received(), calls, "nobody was called")
}

// The first responses use half of the budget. From then on the budget rule applies, and
// the record holds the figure.
func (s *routingRig) byBudget(t *testing.T) {
	key := s.operator.makeKey(map[string]any{"budget": map[string]any{"nano_usd_per_day": 2_000_000}}).Key
	body := chat("auto", `,"max_tokens":20`)
	for range 100 {
		res, text, r := s.send(t, key, body)
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

func (s *routingRig) byTag(t *testing.T) {
	key := s.operator.makeKey(map[string]any{"tags": []string{"legal"}}).Key
	r := s.requireServed(t, key, chat("auto", ""), "large", "eu", "policy")
	require.Equal(t, []string{"RULE_TARGET", "lawyers"}, []string{r.Reason.Code, r.Reason.Rule})
	require.Contains(t, r.Reason.Text, "key.tag is legal")
	require.Equal(t, []string{"large@eu"}, r.attemptLines())
}

func (s *routingRig) byResidency(t *testing.T) {
	key := s.operator.makeKey(map[string]any{"tags": []string{"eu"}}).Key
	calls := len(s.us.Received())
	r := s.requireServed(t, key, chat("auto", ""), "large", "eu", "policy")
	require.Equal(t, []string{"FIRST_ELIGIBLE", "europe"}, []string{r.Reason.Code, r.Reason.Rule})
	require.Equal(t, []string{"good@us EXCLUDED_BY_RULE", "large@eu CHOSEN"}, r.candidateLines())
	require.Len(t, s.us.Received(), calls)
}

// conversation makes the candidate of a conversation fail once. That request falls back
// to another candidate, and the next one returns.
func (s *routingRig) conversation(t *testing.T) {
	s.requireServed(t, "", chat("loyal", `,"metadata":{"begin":"large"}`), "large", "eu", "policy")
	for range 2 {
		r := s.requireServed(t, "", chat("loyal", ""), "large", "eu", "expected")
		require.Equal(t, []string{"STICKY", "in-order"}, []string{r.Reason.Code, r.Reason.Rule})
		s.eu.Script(scripted.JSON(http.StatusInternalServerError, `{}`))
		r = s.requireServed(t, "", chat("loyal", streamed), "good", "us", "fallback")
		require.Equal(t, []string{"large@eu PROVIDER_UPSTREAM_ERROR", "good@us"}, r.attemptLines())
	}
}

// denied checks that a rule rejects the request, and that the client and the ledger get
// the reason.
func (s *routingRig) denied(t *testing.T, route string) {
	calls := len(s.us.Received()) + len(s.eu.Received())
	res, text, r := s.send(t, "", chat(route, `,"metadata":{"purpose":"batch"}`))
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
