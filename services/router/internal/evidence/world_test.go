package evidence_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

// world draws outcomes whose true probabilities are known.
type world struct {
	random *rand.Rand
	state  *evidence.State
	now    time.Time
	n      int
}

func newWorld(seed uint64) *world {
	return &world{
		random: rand.New(rand.NewPCG(seed, 7)), state: evidence.NewState(),
		now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
	}
}

const (
	strong = "strong"
	weak   = "weak"
)

// base is the version of the shipped predictions.
const base = "shipped predictions"

var topics = []string{"law", "physics", "code", "history"}

// predicted is what the shipped weights predict of each model, in thousandths.
var predicted = map[string]int64{strong: 850, weak: 720}

// truth is the probability of a good response. The weak model is bad at law and good at
// code.
func truth(model, topic string) float64 {
	switch {
	case model == weak && topic == "law":
		return 0.4
	case model == weak && topic == "code":
		return 0.84
	}
	return float64(predicted[model]) / 1000
}

// draw returns outcomes of an account. bend changes the probability that is observed.
func (w *world) draw(account string, n int, bend func(p float64) float64) []evidence.Outcome {
	var all []evidence.Outcome
	for range n {
		w.n++
		o := evidence.Outcome{ID: fmt.Sprint(w.n), Account: account, Model: weak, Topic: topics[w.random.IntN(len(topics))], Weight: 1000, Time: w.now}
		if w.random.IntN(2) == 0 {
			o.Model = strong
		}
		o.Predicted = predicted[o.Model]
		if w.random.Float64() < bend(truth(o.Model, o.Topic)) {
			o.Observed = 1000
		}
		all = append(all, o)
	}
	return all
}

func honest(p float64) float64  { return p }
func flipped(p float64) float64 { return 1 - p }

// learn adds outcomes and lets some days pass.
func (w *world) learn(t testing.TB, days int, outcomes ...evidence.Outcome) *evidence.Table {
	for range days {
		_, err := w.state.Learn(w.now, base, outcomes)
		require.NoError(t, err)
		w.now, outcomes = w.now.Add(24*time.Hour), nil
	}
	return w.state.Current
}

// qualities returns the corrected qualities of both models.
func qualities(table *evidence.Table, account, topic string) map[string]int64 {
	q := decide.NamedValuesFromMap(predicted)
	table.Correct(q, account, topic)
	return q.ToMap()
}
