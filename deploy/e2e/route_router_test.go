package e2e

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoutesOfSeveralProxies: proxies do without their router, learn from each
// other by it, and follow it together.
func TestRoutesOfSeveralProxies(t *testing.T) {
	s := newSignals(t, StartSplit, "--proxies", "2")
	inEurope := s.operator.makeKey(map[string]any{"tags": []string{"eu"}}).Key
	s.everywhere(inEurope, http.StatusOK)
	t.Run("the router is there", func(t *testing.T) {
		r := s.at(0).served(t, "", chat("by-text", ""), "good", "us", "expected")
		require.Equal(t, []string{"FIRST_ELIGIBLE", "words"}, []string{r.Reason.Code, r.Reason.Rule})
	})
	t.Run("what fails for one is left out by all", func(t *testing.T) { s.sharesBreakers(t) })
	t.Run("the router is down", func(t *testing.T) { s.withoutRouter(t, inEurope) })
	t.Run("what is taken out of the policy is called by nobody", func(t *testing.T) { s.takesOut(t) })
}

// at is the same system by way of one of its proxies.
func (s *signals) at(proxy int) *signals {
	by := *s
	by.edge = s.Proxies[proxy]
	return &by
}

// sharesBreakers has a target fail at one proxy, and finds that the other never
// asks it.
func (s *signals) sharesBreakers(t *testing.T) {
	for range 3 {
		s.at(0).served(t, "", chat("by-text-failing", ""), "large", "eu", "fallback")
	}
	calls := len(s.us.Received())
	require.Eventually(t, func() bool {
		_, _, r := s.at(0).signal(t, "", chat("by-text-failing", ""))
		return strings.HasPrefix(strings.Join(r.judged(), " "), "status-500@us UNHEALTHY")
	}, waitTimeout, pollInterval, "the router hears of it")
	r := s.at(1).served(t, "", chat("by-text-failing", ""), "large", "eu", "fallback")
	require.Equal(t, []string{"large@eu"}, r.tried())
	require.Equal(t, []string{"status-500@us UNHEALTHY", "large@eu CHOSEN"}, r.judged())
	require.Contains(t, r.Candidates[0].Text, "of all proxies failed")
	require.Contains(t, r.Reason.Text, "status-500 at us was preferred but excluded")
	require.Len(t, s.us.Received(), calls, "nobody was called")
}

// withoutRouter kills the router, and keeps whoever would start it again from
// doing so for a while.
func (s *signals) withoutRouter(t *testing.T, inEurope string) {
	nurse := s.cmd.Process
	require.NoError(t, nurse.Signal(syscall.SIGSTOP))
	defer func() { require.NoError(t, nurse.Signal(syscall.SIGCONT)) }()
	require.NoError(t, syscall.Kill(s.running("router"), syscall.SIGKILL))
	for proxy := range s.Proxies {
		s := s.at(proxy)
		for _, more := range []string{"", streamed} {
			r := s.served(t, "", chat("by-text", more), "good", "us", "fallback")
			require.Equal(t, []string{"ROUTER_UNAVAILABLE", "words"}, []string{r.Reason.Code, r.Reason.Rule})
			require.Equal(t, []string{"good@us CHOSEN", "large@eu FALLBACK"}, r.judged())
			require.Equal(t, []string{"good@us"}, r.tried())
		}
		r := s.served(t, inEurope, chat("by-text", ""), "large", "eu", "fallback")
		require.Equal(t, []string{"ROUTER_UNAVAILABLE", "europe"}, []string{r.Reason.Code, r.Reason.Rule})
		s.served(t, "", chat("auto", ""), "good", "us", "expected")
		s.served(t, "", chat("large", ""), "large", "eu", "expected")
		s.served(t, inEurope, chat("auto", ""), "large", "eu", "policy")
		s.denied(t, "by-text")
	}
}

// takesOut edits the policy's file.
func (s *signals) takesOut(t *testing.T) {
	text, err := os.ReadFile(s.file)
	require.NoError(t, err)
	edited := strings.ReplaceAll(string(text), "[good, large]", "[large]")
	require.NoError(t, os.WriteFile(s.file, []byte(edited), 0o600))
	for proxy := range s.Proxies {
		for _, route := range []string{"auto", "by-text"} {
			require.Eventually(t, func() bool {
				res, _, _ := s.at(proxy).signal(t, "", chat(route, ""))
				return res.Header.Get("X-Signalbox-Model") == "large" && res.Header.Get("X-Signalbox-Route") == "expected"
			}, waitTimeout, pollInterval, "it follows")
		}
	}
	calls := len(s.us.Received())
	for proxy := range s.Proxies {
		for _, route := range []string{"auto", "by-text"} {
			s.at(proxy).served(t, "", chat(route, ""), "large", "eu", "expected")
		}
	}
	require.Len(t, s.us.Received(), calls)
}
