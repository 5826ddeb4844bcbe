package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// simulatedLoop is the tool loop of an agent or of one of its sub-agents.
type simulatedLoop struct {
	opening string
	turns   int
	// model served the first turn.
	model string
}

// body returns the next turn. use asks for a model, which a rule of the policy follows.
func (l *simulatedLoop) body(use string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"auto","metadata":{"use":"%s"},"messages":[{"role":"system","content":"You are an agent."},{"role":"user","content":"%s"}`, use, l.opening)
	for i := range l.turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%[1]d","type":"function","function":{"name":"shell","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":"c%[1]d","content":"ok"}`, i)
	}
	return b.String() + "]" + toolMembers + "}"
}

// loopSimulation sends the requests of agents to an edge.
type loopSimulation struct {
	*rand.Rand
	*agentRig
	handler        http.Handler
	turns, changes int
}

func (s *loopSimulation) of(all ...string) string { return all[s.IntN(len(all))] }

func (s *loopSimulation) send(t *testing.T, session, body string) *ledger.Record {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/proxy/v1/chat/completions", strings.NewReader(body))
	r.Header.Set("Api-Key", "k")
	r.Header.Set("X-Session-Id", session)
	r.Header.Set("User-Agent", "opencode/1.18")
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	return s.last()
}

func (s *loopSimulation) takeTurn(t *testing.T, session string, l *simulatedLoop) {
	t.Helper()
	r := s.send(t, session, l.body(s.of("large", "small")))
	require.False(t, r.SideCall)
	if l.turns++; l.turns == 1 {
		l.model = r.Served.Model
		return
	}
	s.turns++
	if r.Served.Model != l.model {
		s.changes++
	}
	require.Equal(t, decide.ReasonToolLoop, r.Decision.Reason.Code)
}

// takeSideCall asks for a title, which is decided for itself.
func (s *loopSimulation) takeSideCall(t *testing.T, session string) {
	t.Helper()
	use := s.of("large", "small")
	r := s.send(t, session, `{"model":"auto","metadata":{"use":"`+use+`"},"messages":[{"role":"system","content":"You are a title generator."},{"role":"user","content":"Repair it."}]}`)
	require.True(t, r.SideCall)
	require.Equal(t, use, r.Served.Model)
}

// A thousand tool loops keep their models while these are up. Every session has an agent and
// three sub-agents that take turns in any order, with side calls between them, and each request
// asks for any model.
func TestAThousandToolLoopsKeepTheirModels(t *testing.T) {
	a := newAgentRig(t)
	s := &loopSimulation{Rand: rand.New(rand.NewPCG(21, 3)), agentRig: a, handler: api.New(a.deps)} //nolint:gosec // repeatable on purpose
	models := map[string]int{}
	for i := range 250 {
		session := fmt.Sprint("session-", i)
		var loops []*simulatedLoop
		for k := range 4 {
			loops = append(loops, &simulatedLoop{opening: fmt.Sprintf("Task %d of %d.", k, i)})
		}
		for range 20 {
			if s.IntN(4) == 0 {
				s.takeSideCall(t, session)
			}
			s.takeTurn(t, session, loops[s.IntN(len(loops))])
		}
		for _, l := range loops {
			models[l.model]++
		}
		a.records = a.records[:0]
	}
	require.Zero(t, s.changes)
	require.Greater(t, s.turns, 3000)
	require.Greater(t, models["large"], 300)
	require.Greater(t, models["small"], 300)
}
