package e2e

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoutesOfSeveralProxies: proxies work without their router, share breaker states
// through it, and follow its policy.
func TestRoutesOfSeveralProxies(t *testing.T) {
	t.Parallel()
	s := newRoutingRig(t, StartSplit, "--proxies", "2")
	inEurope := s.operator.makeKey(map[string]any{"tags": []string{"eu"}}).Key
	s.requireStatusEverywhere(inEurope, http.StatusOK)
	t.Run("the router is there", func(t *testing.T) {
		r := s.at(0).requireServed(t, "", chat("by-text", ""), "good", "us", "expected")
		require.Equal(t, []string{"FIRST_ELIGIBLE", "words"}, []string{r.Reason.Code, r.Reason.Rule})
	})
	t.Run("what fails for one is left out by all", func(t *testing.T) { s.sharesBreakers(t) })
	t.Run("the router is down", func(t *testing.T) { s.withoutRouter(t, inEurope) })
	t.Run("what is taken out of the policy is called by nobody", func(t *testing.T) { s.removeModel(t) })
}

// at returns the same rig with requests sent to one of its proxies.
func (s *routingRig) at(proxy int) *routingRig {
	by := *s
	by.edge = s.Proxies[proxy]
	return &by
}

// sharesBreakers makes a candidate fail at one proxy and checks that the other proxy
// does not call it.
func (s *routingRig) sharesBreakers(t *testing.T) {
	for range 3 {
		s.at(0).requireServed(t, "", chat("by-text-failing", ""), "large", "eu", "fallback")
	}
	calls := len(s.us.Received())
	require.Eventually(t, func() bool {
		_, _, r := s.at(0).send(t, "", chat("by-text-failing", ""))
		return strings.HasPrefix(strings.Join(r.candidateLines(), " "), "status-500@us UNHEALTHY")
	}, waitTimeout, pollInterval, "the router hears of it")
	r := s.at(1).requireServed(t, "", chat("by-text-failing", ""), "large", "eu", "fallback")
	require.Equal(t, []string{"large@eu"}, r.attemptLines())
	require.Equal(t, []string{"status-500@us UNHEALTHY", "large@eu CHOSEN"}, r.candidateLines())
	require.Contains(t, r.Candidates[0].Text, "of all proxies failed")
	require.Contains(t, r.Reason.Text, "status-500 at us was preferred but excluded")
	require.Len(t, s.us.Received(), calls, "nobody was called")
}

// withoutRouter kills the router and prevents its restart for a while.
func (s *routingRig) withoutRouter(t *testing.T, inEurope string) {
	nurse := s.cmd.Process
	require.NoError(t, nurse.Signal(syscall.SIGSTOP))
	defer func() { require.NoError(t, nurse.Signal(syscall.SIGCONT)) }()
	require.NoError(t, syscall.Kill(s.running("router"), syscall.SIGKILL))
	for proxy := range s.Proxies {
		s := s.at(proxy)
		for _, more := range []string{"", streamed} {
			r := s.requireServed(t, "", chat("by-text", more), "good", "us", "fallback")
			require.Equal(t, []string{"ROUTER_UNAVAILABLE", "words"}, []string{r.Reason.Code, r.Reason.Rule})
			require.Equal(t, []string{"good@us CHOSEN", "large@eu FALLBACK"}, r.candidateLines())
			require.Equal(t, []string{"good@us"}, r.attemptLines())
		}
		r := s.requireServed(t, inEurope, chat("by-text", ""), "large", "eu", "fallback")
		require.Equal(t, []string{"ROUTER_UNAVAILABLE", "europe"}, []string{r.Reason.Code, r.Reason.Rule})
		s.requireServed(t, "", chat("auto", ""), "good", "us", "expected")
		s.requireServed(t, "", chat("large", ""), "large", "eu", "expected")
		s.requireServed(t, inEurope, chat("auto", ""), "large", "eu", "policy")
		s.denied(t, "by-text")
	}
}

// removeModel edits the policy file.
func (s *routingRig) removeModel(t *testing.T) {
	text, err := os.ReadFile(s.file)
	require.NoError(t, err)
	edited := strings.ReplaceAll(string(text), "[good, large]", "[large]")
	require.NoError(t, os.WriteFile(s.file, []byte(edited), 0o600))
	for proxy := range s.Proxies {
		for _, route := range []string{"auto", "by-text"} {
			require.Eventually(t, func() bool {
				res, _, _ := s.at(proxy).send(t, "", chat(route, ""))
				return res.Header.Get("X-Signalbox-Model") == "large" && res.Header.Get("X-Signalbox-Route") == "expected"
			}, waitTimeout, pollInterval, "it follows")
		}
	}
	calls := len(s.us.Received())
	for proxy := range s.Proxies {
		for _, route := range []string{"auto", "by-text"} {
			s.at(proxy).requireServed(t, "", chat(route, ""), "large", "eu", "expected")
		}
	}
	require.Len(t, s.us.Received(), calls)
}
