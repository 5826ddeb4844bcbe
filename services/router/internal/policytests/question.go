package policytests

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// buildQuestion returns the question that a proxy would send for the request of a
// test, and the excerpt of the prompt. The error is INVALID_REQUEST if the body cannot
// be read. A proxy also checks more fields of the body.
func buildQuestion(route *policy.Route, t *policy.Test) (q decide.Question, text string, err error) {
	q = decide.Question{
		Kind: route.Kind, Model: route.Name, At: t.At, BudgetUsed: t.BudgetUsed,
		Caller: decide.Caller{
			AccountID: t.Key.Account, KeyID: t.Key.ID, Tags: t.Key.Tags, Models: t.Key.Models, MaySwapModel: t.Key.MaySwapModel,
		},
	}
	if route.Kind == catalog.Embeddings {
		return q, "", readEmbeddings(&q, t.Request)
	}
	text, err = readChat(&q, t.Request)
	return q, text, err
}

// downHealth is a health state in which some candidates are down and nothing is
// known about the others.
type downHealth map[decide.Candidate]bool

// newDownHealth marks the candidates with the given names as down. The name of a model
// without a provider means all endpoints of the model.
func newDownHealth(p *policy.Policy, names []string) downHealth {
	all := downHealth{}
	for _, name := range names {
		m, provider, ok := p.ResolveEndpoint(name)
		if !ok {
			continue
		}
		for _, at := range m.Endpoints {
			if provider == "" || provider == at.Provider {
				all[decide.Candidate{Model: m.ID, Provider: at.Provider}] = true
			}
		}
	}
	return all
}

// DownReason returns why a candidate is down. It returns an empty string for other
// candidates.
func (d downHealth) DownReason(candidate decide.Candidate) string {
	if d[candidate] {
		return "the test declares the candidate down"
	}
	return ""
}

// Latency returns 0: the latency is unknown.
func (downHealth) Latency(decide.Candidate) int64 { return 0 }
