package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// loopPolicy prefers the cheap model. Only the first turn of a session can ask for the other one.
const loopPolicy = `version: 1
providers:
  us: {kind: openai, base_url: %[1]s/v1, allow_private: true}
  eu: {kind: openai, base_url: %[1]s/v1, allow_private: true}
models:
  cheap: {endpoints: [{provider: us, model: cheap}, {provider: eu, model: cheap}], price: {input: "1", output: "2"}, context: 8192, capabilities: [tools]}
  large: {endpoints: [{provider: us, model: large}, {provider: eu, model: large}], price: {input: "3", output: "6"}, context: 8192, capabilities: [tools]}
defaults: {baseline: large}
routes:
  auto:
    select:
      - {name: begin, when: {request.metadata.begin: large}, candidates: [large, cheap]}
      - {name: rest, strategy: cheapest, candidates: [cheap, large]}
`

// agentSession is one tool loop of an agent.
type agentSession struct {
	id string
	// begin is the model that the first turn asks for.
	begin string
	turns int
	// served is the model and provider of the first turn.
	served string
	// uncertain counts the turns that a proxy may have served without storing them, or stored
	// without a response, because it was killed.
	uncertain int
}

// body returns the next turn. Every turn after the first one ends with the result of a tool.
func (s *agentSession) body() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"auto","tools":[{"type":"function","function":{"name":"shell","parameters":{}}}],"messages":[{"role":"user","content":"Repair build %s."}`, s.id)
	for i := range s.turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%[1]d","type":"function","function":{"name":"shell","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c%[1]d","content":"ok"}`, i)
	}
	b.WriteString(`]`)
	if s.turns == 0 && s.begin != "" {
		b.WriteString(`,"metadata":{"begin":"` + s.begin + `"}`)
	}
	return b.String() + `}`
}

// loopRig sends the turns of many sessions to the proxies of a gateway.
type loopRig struct {
	*Gateway
	sessions []*agentSession
	// mortal is the proxy that is killed. diverted counts the turns that it did not serve.
	mortal   string
	diverted atomic.Int64
}

func newLoopRig(t *testing.T, box *Gateway, count int) *loopRig {
	t.Helper()
	g := &loopRig{Gateway: box}
	for i := range count {
		s := &agentSession{id: fmt.Sprintf("session-%d", i)}
		if i%2 == 0 {
			s.begin = "large"
		}
		g.sessions = append(g.sessions, s)
	}
	return g
}

func writeLoopPolicy(t *testing.T) string {
	t.Helper()
	upstream := scriptedtest.New(t, scriptedtest.OpenAI)
	return policyFile(t, fmt.Sprintf(loopPolicy, upstream.URL))
}

// takeTurn sends the next turn of a session. It fails if another model or provider serves it. If
// the proxy is dead, the turn goes to the other proxy, as behind a balancer.
func (g *loopRig) takeTurn(ctx context.Context, edge string, s *agentSession) error {
	res, body, err := g.call(ctx, http.MethodPost, edge+"/proxy/v1/chat/completions", s.id, s.body())
	if err != nil && edge == g.mortal {
		g.diverted.Add(1)
		res, body, err = g.call(ctx, http.MethodPost, g.Proxies[1]+"/proxy/v1/chat/completions", s.id, s.body())
	}
	if err != nil {
		return err
	}
	served := res.Header.Get("X-Signalbox-Model") + "@" + res.Header.Get("X-Signalbox-Provider")
	if s.turns == 0 {
		s.served = served
	}
	switch {
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: status %d: %s", s.id, res.StatusCode, body)
	case res.Header.Get("X-Signalbox-Session") != s.id:
		return fmt.Errorf("%s: the response names the session %q", s.id, res.Header.Get("X-Signalbox-Session"))
	case served != s.served, (s.begin == "large") != strings.HasPrefix(served, "large@"):
		return fmt.Errorf("%s: turn %d was served by %s, the first one by %s", s.id, s.turns+1, served, s.served)
	}
	s.turns++
	return nil
}

func (g *loopRig) call(ctx context.Context, method, url, session, body string) (*http.Response, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Authorization", "Bearer "+g.Key)
	req.Header.Set("X-Signalbox-Session", session)
	res, err := edgeClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res, string(text), err
}

// takeTurns sends one turn of every session. edgeOf returns the proxy of a session.
func (g *loopRig) takeTurns(t *testing.T, edgeOf func(index int) string) {
	t.Helper()
	var wg sync.WaitGroup
	const workers = 8
	errs := make([]error, len(g.sessions))
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(g.sessions); i += workers {
				errs[i] = g.takeTurn(t.Context(), edgeOf(i), g.sessions[i])
			}
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

// awaitSeen waits until a proxy knows all turns of every session. The proxies write their states
// after the response, and a test is faster than the tools of an agent.
func (g *loopRig) awaitSeen(t *testing.T, edges ...string) {
	t.Helper()
	for _, edge := range edges {
		for _, s := range g.sessions {
			isSeen := func() bool {
				missing := s.turns - g.turnsAt(t, edge, s)
				return missing <= s.uncertain && -missing <= s.uncertain
			}
			require.Eventually(t, isSeen, waitTimeout, pollInterval, "%s at %s", s.id, edge)
		}
	}
}

// turnsAt returns how many turns of a session a proxy knows.
func (g *loopRig) turnsAt(t *testing.T, edge string, s *agentSession) int {
	res, body, err := g.call(t.Context(), http.MethodGet, edge+"/proxy/v1/session?id="+s.id, "", "")
	var view struct{ Turns int }
	if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal([]byte(body), &view) != nil {
		return -1
	}
	return view.Turns
}

// killDuringTurns kills a proxy and the router of the other proxy with SIGKILL while the sessions
// take a turn at both proxies. What dies stays dead until the returned function is called.
func (g *loopRig) killDuringTurns(t *testing.T) (revive func()) {
	t.Helper()
	nurse := g.cmd.Process
	require.NoError(t, nurse.Signal(syscall.SIGSTOP))
	victims := []int{g.running("proxy-1"), g.running("router-2")}
	g.mortal = g.Proxies[0]
	g.takeTurns(t, func(i int) string {
		if i == len(g.sessions)/2 {
			for _, pid := range victims {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		g.sessions[i].uncertain = 1 - i%2
		return g.Proxies[i%2]
	})
	require.Positive(t, g.diverted.Load())
	require.Less(t, g.diverted.Load(), int64(len(g.sessions)/2), "the proxy served turns before")
	return func() { require.NoError(t, nurse.Signal(syscall.SIGCONT)) }
}

// A hundred open tool loops stay with their candidates while a proxy and the router of the other
// proxy are killed in the middle of their turns, and after the proxy has come back.
func TestToolLoopsSurviveAProxyAndARouter(t *testing.T) {
	t.Parallel()
	g := newLoopRig(t, StartSplit(t, "--config", writeLoopPolicy(t), "--proxies", "2", "--routers", "2"), 100)
	for turn := range 3 {
		g.takeTurns(t, func(i int) string { return g.Proxies[(i+turn)%2] })
		g.awaitSeen(t, g.Proxies...)
	}
	revive := g.killDuringTurns(t)
	for range 2 {
		g.takeTurns(t, func(int) string { return g.Proxies[1] })
	}
	revive()
	require.Eventually(t, func() bool {
		res, err := edgeClient.Get(g.Proxies[0] + "/readyz")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, waitTimeout, pollInterval)
	g.awaitSeen(t, g.Proxies[0])
	g.takeTurns(t, func(int) string { return g.Proxies[0] })
}

// The all-in-one stores its sessions in a file. A shutdown writes all of them; a crash loses at
// most the last moment.
func TestSessionsSurviveARestart(t *testing.T) {
	t.Parallel()
	flags := []string{"--config", writeLoopPolicy(t)}
	g := newLoopRig(t, Start(t, flags...), 10)
	base := func(int) string { return g.Base }
	g.takeTurns(t, base)
	g.Terminate()
	require.Equal(t, 0, g.Wait())

	g.Gateway = g.Restart(flags...)
	g.awaitSeen(t, g.Base)
	g.takeTurns(t, base)
	g.Kill()

	g.Gateway = g.Restart(flags...)
	for _, s := range g.sessions {
		require.InDelta(t, s.turns, g.turnsAt(t, g.Base, s), 1, "only the last turn may be lost")
	}
	g.takeTurns(t, base)
}
