package policytests

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// buildQuestion returns the question that a proxy would send for the request of a
// test, and the excerpt of the prompt. A test need not name a model: the route's name is
// the default. If a proxy would reject the body, buildQuestion fails with the proxy's code.
func buildQuestion(route *policy.Route, t *policy.Test) (q decide.Question, text string, err error) {
	parse := requestbody.ParseChat
	if route.Kind == catalog.Embeddings {
		parse = requestbody.ParseEmbeddings
	}
	r, err := parse(withDefaultModel(t.Request, route.Name))
	if err != nil {
		known := apperr.From(err)
		return q, "", apperr.New(known.Code, "the request body is not valid: "+known.Message).WithCause(err)
	}
	q = r.Question()
	q.At, q.BudgetUsed = t.At, t.BudgetUsed
	q.Caller = decide.Caller{
		AccountID: t.Key.Account, KeyID: t.Key.ID, Tags: t.Key.Tags, Models: t.Key.Models, MaySwapModel: t.Key.MaySwapModel,
	}
	return q, r.Excerpt(requestbody.MaxExcerptBytes), nil
}

// withDefaultModel adds a model name to a body that has none.
func withDefaultModel(body []byte, model string) []byte {
	members := 0
	for name := range jsonscan.Members(body) {
		if string(name) == "model" {
			return body
		}
		members++
	}
	inner, isObject := bytes.CutPrefix(bytes.TrimSpace(body), []byte("{"))
	if !isObject {
		return body // the parser rejects it
	}
	named := jsonscan.AppendQuoted([]byte(`{"model":`), model)
	if members > 0 {
		named = append(named, ',')
	}
	return append(named, inner...)
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
