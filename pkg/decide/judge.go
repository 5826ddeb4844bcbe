package decide

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// judgement is what stands against a candidate, each kind of obstacle by
// itself, so that it can be told what would have been without one of them.
type judgement struct {
	target  Target
	model   *policy.Model
	context int64
	// name is the place of the candidate in the list that named it.
	name    int
	reserve bool
	// allowed is false when the key's list keeps the candidate out.
	allowed bool
	// demand is what a rule requires and the candidate has not; nil when there
	// is nothing.
	demand *demand
	// obstacle is what the request asks and the model lacks; it has no code
	// when there is nothing.
	obstacle obstacle
	// below is set for a candidate under the floor of quality that others reach.
	below bool
	// kept is set for a target that is down and keeps its conversation.
	kept bool
	// down is why the target is down, or "".
	down             string
	priced           bool
	cost             int64
	latency, quality int64
	// score is the strategy's.
	score int64
	// number is the place in the plan, from 1; 0 when it is not in it.
	number int
}

type obstacle struct {
	code string
	text string
	// need is set for a missing capability.
	need catalog.Capability
}

// unbound tells whether the candidate could serve if no operator had a say.
func (j *judgement) unbound() bool { return j.obstacle.code == "" && !j.below }

// passes tells whether it could serve in a healthy world.
func (j *judgement) passes() bool { return j.unbound() && j.allowed && j.demand == nil }

// up tells whether it may be tried now.
func (j *judgement) up() bool { return j.down == "" || j.kept }

// overLimit tells a limit of the provider from a breaker.
func (j *judgement) overLimit() bool { return strings.HasPrefix(j.down, OverLimit) }

// judge fills in what is known of a place of a model.
func (f *field) judge(j *judgement, m *policy.Model, e *policy.Endpoint) {
	q := &f.q
	j.target, j.model, j.context = Target{Model: m.ID, Provider: e.Provider}, m, m.ContextAt(e)
	j.obstacle = against(q, m, e)
	j.cost, j.priced = predict(q, m.PricesAt(e))
	j.quality = quality(q, m, f.c.rule)
	named := f.c.explicit && !j.reserve
	j.allowed = named || f.permits(j.target)
	if !named {
		j.demand = f.unmet(m, e)
	}
	j.down, j.latency = f.h.Down(j.target), f.h.Latency(j.target)
}

// unmet is the first demand that a place does not meet.
func (f *field) unmet(m *policy.Model, e *policy.Endpoint) *demand {
	if len(f.c.demands) == 0 {
		return nil
	}
	var tags []string
	if at, ok := f.p.Provider(e.Provider); ok {
		tags = at.Tags
	}
	for i := range f.c.demands {
		if d := &f.c.demands[i]; !d.Meets(m, e, tags) {
			return d
		}
	}
	return nil
}

// quality is the predicted one, else the model's prior for the rule's topic,
// else its general one.
func quality(q *Question, m *policy.Model, r *policy.Rule) int64 {
	if n, ok := q.Qualities.Get(m.ID); ok {
		return n
	}
	if r != nil && r.Topic != "" {
		if n, ok := m.Quality[r.Topic]; ok {
			return n
		}
	}
	return m.Quality["general"]
}

// against finds the first thing that the model cannot do for the question at a
// place.
func against(q *Question, m *policy.Model, e *policy.Endpoint) obstacle {
	for _, need := range q.Needs {
		if !m.CanAt(e, need) {
			return obstacle{code: MissingCapability, text: "cannot do " + string(need), need: need}
		}
	}
	if wanted, holds := tokens(q), m.ContextAt(e); !fits(q, holds, wanted) {
		return obstacle{code: ContextTooSmall, text: fmt.Sprintf("holds %d tokens, %d are needed", holds, wanted)}
	}
	return obstacle{}
}

// fits leaves to the provider what cannot be known here: a model without a
// known window, and embeddings, where each input has the window to itself and
// the question tells only their sum.
func fits(q *Question, holds, wanted int64) bool {
	return holds == 0 || q.Kind == catalog.Embeddings || wanted <= holds
}

// maxTokens bounds counts that clients choose, so that sums stay sums.
const maxTokens = 1 << 40

func tokens(q *Question) int64 {
	return clamp(q.InputTokens) + clamp(q.MaxOutputTokens)
}

func clamp(n int64) int64 { return min(max(n, 0), maxTokens) }

// PredictedOutput is how long an answer is taken to be, in tokens, where the
// caller sets no lower limit.
const PredictedOutput = 512

// predict is the expected cost at the price in force, or the newest one where
// the question has no time; false when there is none.
func predict(q *Question, prices []catalog.Price) (int64, bool) {
	if len(prices) == 0 {
		return 0, false
	}
	price, ok := prices[len(prices)-1], true
	if !q.At.IsZero() {
		price, ok = catalog.InForce(prices, q.At)
	}
	u := catalog.Usage{Input: q.InputTokens}
	if q.Kind == catalog.Chat {
		u.Output = PredictedOutput
		if q.MaxOutputTokens > 0 {
			u.Output = min(q.MaxOutputTokens, PredictedOutput)
		}
	}
	return catalog.Cost(price, u), ok
}

// entered tells whether a place was judged before. Models are compared by where they are,
// which is quick: a policy has each once.
func (f *field) entered(m *policy.Model, provider string) bool {
	for i := range f.room {
		if j := &f.room[i]; j.model == m && j.target.Provider == provider {
			return true
		}
	}
	return false
}
