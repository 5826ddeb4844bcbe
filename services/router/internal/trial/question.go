package trial

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// question is what a proxy would ask for the request of a test, with the text
// that it would send along. Bodies that no proxy takes are INVALID_REQUEST.
func question(route *policy.Route, t *policy.Test) (q decide.Question, text string, err error) {
	q = decide.Question{
		Kind: route.Kind, Model: route.Name, At: t.At, BudgetUsed: t.BudgetUsed,
		Asker: decide.Asker{
			AccountID: t.Key.Account, KeyID: t.Key.ID, Tags: t.Key.Tags, Models: t.Key.Models, MaySwapModel: t.Key.MaySwapModel,
		},
	}
	if route.Kind == catalog.Embeddings {
		return q, "", readEmbeddings(&q, t.Request)
	}
	text, err = readChat(&q, t.Request)
	return q, text, err
}

// down is a world in which some places are down and nothing is known of the
// others.
type down map[decide.Target]bool

// downs finds the places that are meant: a model alone is all of its.
func downs(p *policy.Policy, names []string) down {
	all := down{}
	for _, name := range names {
		m, provider, ok := p.Place(name)
		if !ok {
			continue
		}
		for _, at := range m.Endpoints {
			if provider == "" || provider == at.Provider {
				all[decide.Target{Model: m.ID, Provider: at.Provider}] = true
			}
		}
	}
	return all
}

// Down tells why a target cannot be used.
func (d down) Down(t decide.Target) string {
	if d[t] {
		return "the test says so"
	}
	return ""
}

// Latency is not known.
func (down) Latency(decide.Target) int64 { return 0 }
