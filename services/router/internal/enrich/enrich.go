// Package enrich adds values to a decide.Question that the proxies do not compute: the
// features of the text and the predicted qualities of models. Package decide uses these
// values and never sees the text. The router's engine and package policytests use an
// Enricher.
package enrich

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/topic"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/quality"
	"github.com/signalbox/signalbox/services/router/internal/subject"
)

// Enricher enriches questions. It is safe for concurrent use.
type Enricher struct {
	reader    *features.Reader
	learned   *predict.Predictor
	subjects  *subject.Classifier
	predictor *quality.Priors
	// learnedHere corrects the predictions. It is nil if this installation has learned
	// nothing.
	learnedHere atomic.Pointer[corrected]
	// cached holds the models of the last policy, because policies rarely change.
	cached atomic.Pointer[routeModels]
}

// routeModels holds, for each route, the models whose quality is predicted: those of its
// rules, and the policy's baseline if a rule compares with it.
type routeModels struct {
	policy  *policy.Policy
	byRoute map[string][]*policy.Model
}

// Weights holds what was learned from public outcomes. Each part may be nil.
type Weights struct {
	Predictor *predict.Predictor
	Subjects  *subject.Classifier
}

// LoadWeights returns the weights that ship with the program.
func LoadWeights() (Weights, error) {
	p, err := predict.Load()
	if err != nil {
		return Weights{}, err
	}
	s, err := subject.Load()
	return Weights{Predictor: p, Subjects: s}, err
}

// New returns an Enricher that predicts quality from the ratings in a catalog and from the
// weights that ship with the program. If they are damaged, which the start of the router
// reports, only the ratings count.
func New(cat *catalog.Catalog) *Enricher {
	w, err := LoadWeights()
	if err != nil {
		w = Weights{}
	}
	return NewWith(cat, w)
}

// NewWith returns an Enricher with other weights.
func NewWith(cat *catalog.Catalog, w Weights) *Enricher {
	return &Enricher{reader: features.NewReader(), learned: w.Predictor, subjects: w.Subjects, predictor: quality.NewPriors(cat, w.Predictor)}
}

// corrected is a table of corrections and the version of the predictor with it.
type corrected struct {
	table   *evidence.Table
	version string
}

// UseCorrections makes predictions use what this installation has learned.
func (r *Enricher) UseCorrections(t *evidence.Table) {
	if t.IsShipped() {
		r.learnedHere.Store(nil)
		return
	}
	r.learnedHere.Store(&corrected{t, r.predictor.Version() + "+" + t.Version()})
}

// ShippedVersion is the version of the predictions without corrections.
func (r *Enricher) ShippedVersion() string { return r.predictor.Version() }

// PredictShipped returns what is predicted of a model for the recorded features of a request,
// without corrections, and the topic of the request. It returns false if nothing is known of
// the model.
func (r *Enricher) PredictShipped(m *policy.Model, f decide.NamedValues) (quality int64, topic string, ok bool) {
	quality, ok = r.predictor.Predict(nil, f, []*policy.Model{m}).Get(m.ID)
	return quality, r.topicOf(f), ok
}

// topicOf returns the subject of a request, or else its kind of task.
func (r *Enricher) topicOf(f decide.NamedValues) string {
	if r.subjects != nil {
		if name := r.subjects.Name(f.GetOrZero(subject.Feature)); name != "" {
			return name
		}
	}
	return topic.Of(f)
}

// correct applies the corrections to the predictions in scratch. It returns the version of
// the predictor.
func (r *Enricher) correct(scratch *Scratch, q *decide.Question) string {
	here := r.learnedHere.Load()
	if here == nil {
		return r.predictor.Version()
	}
	here.table.Correct(scratch.predicted, q.Caller.AccountID, r.topicOf(q.Features))
	return here.version
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
	scratch.read = ReadFeatures(scratch.read[:0], r.reader, text)
	if scratch.read = r.appendLearned(scratch, q.Features, text); len(scratch.read) > 0 {
		scratch.features = decide.AppendMerged(scratch.features[:0], q.Features, scratch.read)
		q.Features = scratch.features
	}
	candidates := r.modelsToPredict(p, q)
	if len(candidates) == 0 {
		return
	}
	scratch.predicted = r.predictor.Predict(scratch.predicted[:0], q.Features, candidates)
	version := r.correct(scratch, q)
	scratch.qualities = decide.AppendMerged(scratch.qualities[:0], scratch.predicted, q.Qualities)
	q.Qualities = scratch.qualities
	if q.Predictor == "" {
		q.Predictor = version
	}
}

// ReadFeatures appends the features of a text, without those of polite sentences around it. They
// make a request longer, but not harder.
func ReadFeatures(out decide.NamedValues, reader *features.Reader, text string) decide.NamedValues {
	core := predict.WithoutCourtesy(text)
	v := reader.Read(core)
	if len(core) < len(strings.TrimSpace(text)) {
		whole := reader.Read(text)
		if whole.IsGreeting() {
			return whole.AppendTo(out)
		}
		v.CountPolite(&whole)
	}
	return v.AppendTo(out)
}

// appendLearned adds what the learned weights say about the text.
func (r *Enricher) appendLearned(scratch *Scratch, asked decide.NamedValues, text string) decide.NamedValues {
	if r.learned == nil || asked.GetOrZero("turns") > 1 || asked.GetOrZero("tools") > 0 || asked.GetOrZero("images") > 0 {
		return scratch.read
	}
	f := r.learned.AppendFeatures(scratch.read, &scratch.learning, text)
	if r.subjects == nil || text == "" {
		return f
	}
	if n := r.subjects.Of(scratch.learning.Rows()); n > 0 {
		f = append(f, decide.NamedValue{Name: subject.Feature, Value: n}).SortUnique()
	}
	return f
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
