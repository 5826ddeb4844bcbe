// Package enrich adds values to a decide.Question that the proxies do not compute: the
// features of the text and the predicted qualities of models. Package decide uses these
// values and never sees the text. The router's engine and package policytests use an
// Enricher.
package enrich

import (
	"slices"
	"sync/atomic"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/quality"
)

// Enricher enriches questions. It is safe for concurrent use.
type Enricher struct {
	reader    *features.Reader
	learned   *predict.Predictor
	predictor *quality.Priors
	// cached holds the models of the last policy, because policies rarely change.
	cached atomic.Pointer[routeModels]
}

// routeModels holds, for each route, the models whose quality is predicted: those of its
// rules, and the policy's baseline if a rule compares with it.
type routeModels struct {
	policy  *policy.Policy
	byRoute map[string][]*policy.Model
}

// New returns an Enricher that predicts quality from the ratings in a catalog and from the
// weights that ship with the program. If they are damaged, which the start of the router
// reports, only the ratings count.
func New(cat *catalog.Catalog) *Enricher {
	learned, err := predict.Load()
	if err != nil {
		learned = nil
	}
	return &Enricher{reader: features.NewReader(), learned: learned, predictor: quality.NewPriors(cat, learned)}
}

// Scratch is memory that is reused from one question to the next. The zero value is ready
// to use.
type Scratch struct {
	read, features, predicted, qualities decide.NamedValues

	learning predict.Scratch
}

// Enrich adds the features of the text. If the route uses qualities, Enrich also adds the
// predicted qualities of the route's models. It does not replace qualities that the
// question already has, so that a recorded question is decided with its recorded values.
// Enrich does not modify the slices of the question.
func (r *Enricher) Enrich(p *policy.Policy, q decide.Question, text string) decide.Question {
	r.EnrichInto(&Scratch{}, p, &q, text)
	return q
}

// EnrichInto works like Enrich, but modifies q. The added values are stored in
// scratch and are valid until the next call with the same scratch.
func (r *Enricher) EnrichInto(scratch *Scratch, p *policy.Policy, q *decide.Question, text string) {
	v := r.reader.Read(text)
	scratch.read = v.AppendTo(scratch.read[:0])
	if scratch.read = r.appendLearned(scratch, q.Features, text); len(scratch.read) > 0 {
		scratch.features = decide.AppendMerged(scratch.features[:0], q.Features, scratch.read)
		q.Features = scratch.features
	}
	candidates := r.modelsToPredict(p, q)
	if len(candidates) == 0 {
		return
	}
	scratch.predicted = r.predictor.Predict(scratch.predicted[:0], q.Features, candidates)
	scratch.qualities = decide.AppendMerged(scratch.qualities[:0], scratch.predicted, q.Qualities)
	q.Qualities = scratch.qualities
	if q.Predictor == "" {
		q.Predictor = r.predictor.Version()
	}
}

// appendLearned adds what the learned weights say about the text.
func (r *Enricher) appendLearned(scratch *Scratch, asked decide.NamedValues, text string) decide.NamedValues {
	if r.learned == nil || asked.GetOrZero("turns") > 1 || asked.GetOrZero("tools") > 0 || asked.GetOrZero("images") > 0 {
		return scratch.read
	}
	return r.learned.AppendFeatures(scratch.read, &scratch.learning, text)
}

// modelsToPredict returns the models whose quality the question's route uses.
func (r *Enricher) modelsToPredict(p *policy.Policy, q *decide.Question) []*policy.Model {
	route, ok := p.Route(q.Model, q.Kind)
	if !ok || q.Kind != catalog.Chat {
		return nil
	}
	known := r.cached.Load()
	if known == nil || known.policy != p {
		known = collectRouteModels(p)
		r.cached.Store(known)
	}
	return appendCallerBaseline(p, q, route, known.byRoute[route.Name])
}

// appendCallerBaseline adds the baseline of the key or the account, if the route compares with
// it and it is another model than the policy's.
func appendCallerBaseline(p *policy.Policy, q *decide.Question, route *policy.Route, models []*policy.Model) []*policy.Model {
	if q.Caller.Baseline == "" || !route.ComparesBaseline() {
		return models
	}
	m, ok := p.Model(decide.BaselineOfRoute(p, q))
	if !ok || slices.Contains(models, m) {
		return models
	}
	return append(slices.Clip(models), m)
}

func collectRouteModels(p *policy.Policy) *routeModels {
	all := &routeModels{policy: p, byRoute: map[string][]*policy.Model{}}
	for route := range p.AllRoutes() {
		if !p.NeedsRouter(route) {
			continue
		}
		names := route.ModelNames()
		if route.ComparesBaseline() {
			names = append(names, p.Defaults.Baseline)
		}
		seen := map[string]bool{}
		for _, name := range names {
			if m, _, ok := p.ResolveEndpoint(name); ok && !seen[m.ID] {
				seen[m.ID] = true
				all.byRoute[route.Name] = append(all.byRoute[route.Name], m)
			}
		}
	}
	return all
}
