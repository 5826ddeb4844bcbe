// Package reading adds to a question what only the router knows of a request:
// the features of its text, and how well each model would answer it. What
// decides by them is pkg/decide; the text itself goes no further than here. The
// router's engine uses it, and who decides without a service.
package reading

import (
	"sync/atomic"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/quality"
)

// Reading prepares questions. It is safe for concurrent use.
type Reading struct {
	reader    *features.Reader
	predictor quality.Predictor
	// last has the models that were asked of last, as a policy seldom changes.
	last atomic.Pointer[models]
}

// models are those whose quality matters, by route.
type models struct {
	policy  *policy.Policy
	byRoute map[string][]*policy.Model
}

// New predicts by the priors of a catalog.
func New(cat *catalog.Catalog) *Reading {
	return &Reading{reader: features.NewReader(), predictor: quality.NewPriors(cat)}
}

// Room is memory that one question after the other is prepared in.
type Room struct{ read, features, predicted, qualities decide.Numbers }

// Prepare adds the features of the text, and the predicted qualities of the
// models of a route that goes by them. What the question brings of either
// stands, so that a recorded one is decided by what was known then; only a
// model that a changed policy brings in is predicted anew. The numbers of the
// question are left as they are.
func (r *Reading) Prepare(p *policy.Policy, q decide.Question, text string) decide.Question {
	r.PrepareIn(&Room{}, p, &q, text)
	return q
}

// PrepareIn changes the question itself. What is added to it is in the room, and
// stands until the next one is prepared there.
func (r *Reading) PrepareIn(room *Room, p *policy.Policy, q *decide.Question, text string) {
	v := r.reader.Read(text)
	if room.read = v.AppendTo(room.read[:0]); len(room.read) > 0 {
		room.features = decide.AppendJoined(room.features[:0], q.Features, room.read)
		q.Features = room.features
	}
	asked := r.modelsOf(p, q)
	if len(asked) == 0 {
		return
	}
	room.predicted = r.predictor.Predict(room.predicted[:0], q.Features, asked)
	room.qualities = decide.AppendJoined(room.qualities[:0], room.predicted, q.Qualities)
	q.Qualities = room.qualities
	if q.Predictor == "" {
		q.Predictor = r.predictor.Version()
	}
}

// modelsOf are the models to predict for.
func (r *Reading) modelsOf(p *policy.Policy, q *decide.Question) []*policy.Model {
	route, ok := p.Route(q.Model, q.Kind)
	if !ok || q.Kind != catalog.Chat {
		return nil
	}
	known := r.last.Load()
	if known == nil || known.policy != p {
		known = modelsIn(p)
		r.last.Store(known)
	}
	return known.byRoute[route.Name]
}

func modelsIn(p *policy.Policy) *models {
	all := &models{policy: p, byRoute: map[string][]*policy.Model{}}
	for i := range p.Routes {
		route := &p.Routes[i]
		if !p.NeedsText(route) {
			continue
		}
		seen := map[string]bool{}
		for _, name := range route.Names() {
			if m, _, ok := p.Place(name); ok && !seen[m.ID] {
				seen[m.ID] = true
				all.byRoute[route.Name] = append(all.byRoute[route.Name], m)
			}
		}
	}
	return all
}
