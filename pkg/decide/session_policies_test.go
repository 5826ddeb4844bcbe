package decide_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// The ways to route a session that the simulation compares.
const (
	alwaysLarge = iota
	cheapestRequest
	affinityOnly
	cacheAware
	routings
)

// simulatedFloor is the min_quality of every rule. Hard turns lower the quality of all models
// but the large one to less than that.
const simulatedFloor = 650

func (m *sessionMix) policy() *policy.Policy {
	large := m.models[len(m.models)-1]
	rule := fmt.Sprintf("{strategy: cheapest, min_quality: 0.%d, candidates: [%s]}", simulatedFloor, strings.Join(m.models, ", "))
	p, err := policy.Compile(fmt.Appendf(nil, `version: 1
providers: {anthropic: {}, openai: {}, google: {}, groq: {}}
models: {%s: {}}
defaults: {baseline: %s, unlisted: deny}
routes:
  large: {select: [{target: %s}]}
  cheapest: {select: [%s]}
  sessions: {select: [%s], affinity: {ttl: 10m}}
`, strings.Join(m.models, ": {}, "), large, large, rule, rule), shippedCatalog())
	must(err)
	return p
}

var shippedCatalog = sync.OnceValue(func() *catalog.Catalog {
	c, err := catalog.Load()
	must(err)
	return c
})

// must stops the simulation. It does not have a testing.TB, because several tests share it.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// sessionRun is a session under one policy.
type sessionRun struct {
	*sessionMix
	policy    *policy.Policy
	routing   int
	providers simulatedProviders
	memory    sessionMemory
	now       time.Time
	prompt    int64
	sticky    *decide.Candidate
}

// runSession returns the cost of a session in nano-USD.
func (m *sessionMix) runSession(p *policy.Policy, turns []simulatedTurn, routing int) int64 {
	run := sessionRun{
		sessionMix: m, policy: p, routing: routing, now: m.starts, prompt: m.prefix,
		providers: simulatedProviders{policy: p, entries: map[decide.Candidate]simulatedEntry{}},
	}
	for i := range turns {
		run.serve(&turns[i])
	}
	return run.providers.charged
}

func (run *sessionRun) serve(turn *simulatedTurn) {
	run.now = run.now.Add(turn.gap)
	marked := !run.isChat() && !turn.sideCall
	if turn.sideCall {
		run.serveSideCall(turn)
		return
	}
	run.prompt += turn.added
	chosen := run.decide(turn, run.prompt)
	if turn.hard && chosen.Model != run.models[len(run.models)-1] {
		panic("a hard turn was served by " + chosen.Model)
	}
	used := run.providers.serve(chosen, run.prompt, turn.output, marked, run.now)
	began := run.now
	run.now = run.now.Add(turn.took)
	m, _ := run.policy.Model(chosen.Model)
	endpoint, _ := m.EndpointAt(chosen.Provider)
	run.memory.remember(chosen, endpoint.Cache().TTLSeconds, used, began, run.now)
	run.sticky = &chosen
	run.prompt += turn.output
}

// serveSideCall charges for a side call. It has its own prompt, so it uses other caches.
func (run *sessionRun) serveSideCall(turn *simulatedTurn) {
	other := simulatedProviders{policy: run.policy, entries: map[decide.Candidate]simulatedEntry{}}
	other.serve(run.decide(turn, turn.added), turn.added, turn.output, false, run.now)
	run.providers.charged += other.charged
	run.now = run.now.Add(turn.took)
}

func (run *sessionRun) decide(turn *simulatedTurn, input int64) decide.Candidate {
	d, err := decide.Decide(run.policy, run.question(turn, input), decide.AllHealthy{})
	must(err)
	return d.Plan[0]
}

// question returns what the router is asked under the routing of the run.
func (run *sessionRun) question(turn *simulatedTurn, input int64) decide.Question {
	q := decide.Question{Kind: catalog.Chat, Model: "cheapest", InputTokens: input * turn.estimate / 100, At: run.now.Truncate(time.Minute)}
	if !run.isChat() && !turn.sideCall {
		q.Needs = []catalog.Capability{catalog.Tools}
	}
	for i, model := range run.models {
		quality := int64(simulatedFloor + 50)
		if i == len(run.models)-1 {
			quality += 100
		}
		if turn.hard {
			quality -= 100
		}
		q.Qualities = append(q.Qualities, decide.NamedValue{Name: model, Value: quality})
	}
	q.Qualities = q.Qualities.SortUnique()
	remembered := run.now.Unix()-run.memory.LastAt <= 600
	switch run.routing {
	case alwaysLarge:
		q.Model = "large"
	case affinityOnly, cacheAware:
		q.Model = "sessions"
		if remembered && !turn.sideCall {
			q.Sticky = run.sticky
		}
	}
	if run.routing == cacheAware {
		s := run.memory.at(run.now)
		s.ToolLoop, s.SideCall, s.MarksCache = turn.toolLoop, turn.sideCall, !run.isChat() && !turn.sideCall
		q.Session = &s
	}
	return q
}

// cost returns the average cost of a session of the mix under every routing, in nano-USD.
func (m *sessionMix) cost(sessions int64, seed uint64) (average [routings]int64) {
	p, r := m.policy(), rand.New(rand.NewPCG(21, seed)) //nolint:gosec // repeatable on purpose
	for range sessions {
		turns := m.makeSession(r)
		for routing := range average {
			average[routing] += m.runSession(p, turns, routing)
		}
	}
	for routing := range average {
		average[routing] /= sessions
	}
	return average
}
