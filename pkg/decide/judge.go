package decide

import (
	"fmt"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// predictedOutput is how long an answer is taken to be where the caller sets
// no lower limit.
const predictedOutput = 512

// judgement is what stands against a candidate, each kind of obstacle by
// itself, so that it can be told what would have been without one of them.
type judgement struct {
	target  Target
	model   *policy.Model
	context int64
	reserve bool
	// allowed is false when the key's list keeps the candidate out.
	allowed bool
	// obstacle is what the request asks and the model lacks; it has no code
	// when there is nothing.
	obstacle obstacle
	// down is why the target is down, or "".
	down      string
	predicted *int64
}

type obstacle struct {
	code string
	text string
	// need is set for a missing capability.
	need catalog.Capability
}

func (j judgement) eligible() bool { return j.allowed && j.obstacle.code == "" && j.down == "" }

// judge looks at every candidate in the order of preference.
func judge(p *policy.Policy, q Question, h Health, c choice) []judgement {
	permitted := permits(p, q.Asker.Models)
	var all []judgement
	for i, m := range slices.Concat(c.selected, c.reserve) {
		j := judgement{model: m, reserve: i >= len(c.selected)}
		named := c.explicit && !j.reserve
		for k := range m.Endpoints {
			e := &m.Endpoints[k]
			if named && c.provider != "" && c.provider != e.Provider {
				continue
			}
			j.target = Target{Model: m.ID, Provider: e.Provider}
			j.context, j.obstacle, j.predicted = m.ContextAt(e), against(q, m, e), predict(q, m.PricesAt(e))
			j.allowed = named || permitted(j.target)
			j.down = h.Down(j.target)
			all = append(all, j)
		}
	}
	return all
}

// against finds the first thing that the model cannot do for the question at a
// place.
func against(q Question, m *policy.Model, e *policy.Endpoint) obstacle {
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
func fits(q Question, holds, wanted int64) bool {
	return holds == 0 || q.Kind == catalog.Embeddings || wanted <= holds
}

// maxTokens bounds counts that clients choose, so that sums stay sums.
const maxTokens = 1 << 40

func tokens(q Question) int64 {
	return clamp(q.InputTokens) + clamp(q.MaxOutputTokens)
}

func clamp(n int64) int64 { return min(max(n, 0), maxTokens) }

// predict is the expected cost at the newest price: a question has no time, so
// that it is answered the same whenever it is asked.
func predict(q Question, prices []catalog.Price) *int64 {
	if len(prices) == 0 {
		return nil
	}
	u := catalog.Usage{Input: q.InputTokens}
	if q.Kind == catalog.Chat {
		u.Output = predictedOutput
		if q.MaxOutputTokens > 0 {
			u.Output = min(q.MaxOutputTokens, predictedOutput)
		}
	}
	cost := catalog.Cost(prices[len(prices)-1], u)
	return &cost
}
