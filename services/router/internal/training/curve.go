package training

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// Installation is a router that learns from outcomes of two models.
type Installation interface {
	// Gap returns how much better than the weak model the strong one is predicted to be.
	Gap(text string) (float64, error)
	// Report reports outcomes of one day and lets the installation learn from them.
	Report(day int, outcomes []PairOutcome) error
	Close() error
}

// PairOutcome is the outcome of one model of a pair on a text.
type PairOutcome struct {
	Text   string
	Strong bool
	// Score is from 0 to 1.
	Score float64
}

// Curve is what an installation reaches after some numbers of outcomes.
type Curve struct {
	Pair Pair
	// Steps holds the numbers of outcomes, from 0 on.
	Steps []int
	// Rounds holds, for each order of the outcomes, the scores of the same prompts after
	// each step.
	Rounds [][]Task
}

// curveRounds is the number of orders in which the outcomes are reported. One order alone
// would measure its luck.
const curveRounds = 4

// outcomesPerDay is the number of outcomes that a simulated installation reports per day.
const outcomesPerDay = 300

// LearningCurve measures what an installation with shipped weights gains from outcomes of a
// pair. The weights are learned without three of five parts of the texts. The outcomes are
// about two of them, and the scores about the third. start starts an installation for the
// pair with weights.
func (l *Lab) LearningCurve(steps map[string][]int, start func(Pair, enrich.Weights) (Installation, error), report func(fold int)) ([]Curve, error) {
	var curves []Curve
	for _, pair := range l.pairs {
		if wanted := steps[pair.Task]; len(wanted) > 0 {
			curves = append(curves, newCurve(pair, wanted))
		}
	}
	for fold := range Folds {
		w := l.weightsWithout(fold, (fold+1)%Folds, (fold+2)%Folds)
		for i := range curves {
			for round := range curveRounds {
				at, err := start(curves[i].Pair, w)
				if err != nil {
					return nil, err
				}
				if err := errors.Join(l.follow(&curves[i], round, at, fold), at.Close()); err != nil {
					return nil, err
				}
			}
		}
		report(fold)
	}
	return curves, nil
}

func newCurve(pair Pair, steps []int) Curve {
	c := Curve{Pair: pair, Steps: steps, Rounds: make([][]Task, curveRounds)}
	for i := range c.Rounds {
		c.Rounds[i] = make([]Task, len(steps))
	}
	return c
}

// follow feeds an installation with outcomes and measures it after each step.
func (l *Lab) follow(c *Curve, round int, at Installation, fold int) error {
	outcomes := l.outcomesOf(c.Pair, round, func(text string) bool {
		return foldOf(text) == (fold+1)%Folds || foldOf(text) == (fold+2)%Folds
	})
	reported, day := 0, 0
	for i, step := range c.Steps {
		for reported < min(step, len(outcomes)) {
			end := min(reported+outcomesPerDay, step, len(outcomes))
			if err := at.Report(day, outcomes[reported:end]); err != nil {
				return err
			}
			reported, day = end, day+1
		}
		if err := l.measure(&c.Rounds[round][i], c.Pair, at, fold); err != nil {
			return err
		}
	}
	return nil
}

// outcomesOf returns the outcomes of both models on the selected texts, in an order that
// depends on the round.
func (l *Lab) outcomesOf(pair Pair, round int, use func(string) bool) []PairOutcome {
	set := l.sets[pair.Folder]
	var all []PairOutcome
	for _, name := range []string{pair.Strong, pair.Weak} {
		column, ok := set.column(name)
		for i, text := range set.Texts {
			if ok && use(text) && !math.IsNaN(set.Scores[i][column]) {
				all = append(all, PairOutcome{Text: text, Strong: name == pair.Strong, Score: set.Scores[i][column]})
			}
		}
	}
	random := rand.New(rand.NewPCG(3, uint64(round))) //nolint:gosec // not for secrets
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// measure adds the scores of a part of the texts to a task, as ranks within the part.
func (l *Lab) measure(t *Task, pair Pair, at Installation, fold int) error {
	set := l.sets[pair.Folder]
	strong, ok1 := set.column(pair.Strong)
	weak, ok2 := set.column(pair.Weak)
	t.Pair = pair
	var scores []float64
	for i, text := range set.Texts {
		if !ok1 || !ok2 || foldOf(text) != fold || math.IsNaN(set.Scores[i][strong]+set.Scores[i][weak]) {
			continue
		}
		gap, err := at.Gap(text)
		if err != nil {
			return err
		}
		scores = append(scores, gap)
		t.Strong, t.Weak = append(t.Strong, set.Scores[i][strong]), append(t.Weak, set.Scores[i][weak])
	}
	for _, rank := range meanRanks(scores) {
		t.Scores = append(t.Scores, (rank+0.5)/float64(len(scores)))
	}
	return nil
}

// weightsWithout learns weights without some parts of the texts.
func (l *Lab) weightsWithout(folds ...int) enrich.Weights {
	keep := func(text string) bool { return !slices.Contains(folds, foldOf(text)) }
	w := l.trainOn(nil, func(_ int, s *sample) bool { return keep(s.text) })
	return enrich.Weights{Predictor: predict.FromWeights(w, "part"), Subjects: l.trainSubjects(keep)}
}
