package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

func TestAnAccountLearnsWhatAModelIsBadAt(t *testing.T) {
	w := newWorld(1)
	table := w.learn(t, 10, w.draw("a", 2000, honest)...)
	law, code := qualities(table, "a", "law"), qualities(table, "a", "code")
	require.Less(t, law[weak], int64(600))
	require.Greater(t, code[weak], law[weak]+200)
	require.InDelta(t, 850, law[strong], 80)
	require.Equal(t, predicted, qualities(table, "b", "law"), "one account decides nothing for others")
}

func TestFewOutcomesChangeNothing(t *testing.T) {
	w := newWorld(2)
	require.True(t, w.learn(t, 5, w.draw("a", 25, honest)...).IsShipped())
}

// Where the shipped weights are right, nothing is corrected in most cases, and only a little
// in the others.
func TestNoiseIsNotLearned(t *testing.T) {
	corrected := 0
	for seed := range uint64(40) {
		w := newWorld(seed)
		var all []evidence.Outcome
		for _, o := range w.draw("a", 1000, honest) {
			if o.Topic == "physics" || o.Topic == "history" {
				all = append(all, o)
			}
		}
		table := w.learn(t, 5, all...)
		if !table.IsShipped() {
			corrected++
		}
		for model, q := range qualities(table, "a", "physics") {
			require.InDelta(t, predicted[model], q, 60, seed)
		}
	}
	t.Logf("noise was learned in %d of 40 cases", corrected)
	require.LessOrEqual(t, corrected, 4)
}

// Corrections that would have predicted later outcomes worse never apply: here every ten
// outcomes contradict the ten before, and the last ones speak against the weak model.
func TestCorrectionsThatPredictWorseDoNotApply(t *testing.T) {
	w := newWorld(11)
	all := w.draw("a", 390, honest)
	for i := range all {
		all[i].Observed = 1000
		if (all[i].Model == weak) == (i/10%2 == 0) {
			all[i].Observed = 0
		}
	}
	require.True(t, w.learn(t, 5, all...).IsShipped())
}

// A strict account rates all models low. Its models keep their order and their level.
func TestStrictnessIsNotApplied(t *testing.T) {
	w := newWorld(3)
	var all []evidence.Outcome
	for _, o := range w.draw("a", 4000, func(p float64) float64 { return p - 0.3 }) {
		if o.Topic == "physics" {
			all = append(all, o)
		}
	}
	table := w.learn(t, 10, all...)
	for model, q := range qualities(table, "a", "physics") {
		require.InDelta(t, predicted[model], q, 60)
	}
}

func TestCorrectionsMoveALimitedWayPerDay(t *testing.T) {
	w := newWorld(4)
	outcomes, before := w.draw("a", 3000, honest), predicted[weak]
	for day := range 4 {
		table := w.learn(t, 1, outcomes...)
		outcomes = nil
		now := qualities(table, "a", "law")[weak]
		require.GreaterOrEqual(t, now, before-100, "day %d", day)
		again, err := w.state.Learn(w.now.AddDate(0, 0, -1), base, nil)
		require.NoError(t, err)
		require.False(t, again, "the same day has the same limit")
		before = now
	}
	require.Less(t, before, predicted[weak]-150)
}

// Accounts that agree teach the router something for accounts without outcomes.
func TestAgreementIsShared(t *testing.T) {
	w := newWorld(5)
	var all []evidence.Outcome
	for range 6 {
		for _, id := range accounts {
			all = append(all, w.draw(id, 150, honest)...)
		}
		w.learn(t, 1, all...)
		all = nil
	}
	table := w.learn(t, 10)
	require.Less(t, qualities(table, "new", "law")[weak], predicted[weak]-70)
	require.InDelta(t, predicted[weak], qualities(table, "new", "physics")[weak], 40)
}

var accounts = []string{"ann", "ben", "cem", "dee", "eve", "fay", "gus"}

// Other weights are shipped: old residuals must prove themselves again.
func TestNewWeightsCloseTheGate(t *testing.T) {
	w := newWorld(6)
	require.False(t, w.learn(t, 3, w.draw("a", 2000, honest)...).IsShipped())
	_, err := w.state.Learn(w.now, "other predictions", nil)
	require.NoError(t, err)
	require.True(t, w.state.Current.IsShipped())
	_, err = w.state.Learn(w.now, "other predictions", w.draw("a", 400, honest))
	require.NoError(t, err)
	require.False(t, w.state.Current.IsShipped())
}

// A few outcomes more make no new version.
func TestSmallChangesMakeNoVersion(t *testing.T) {
	w := newWorld(10)
	version := w.learn(t, 10, w.draw("a", 2000, honest)...).Version()
	w.now = w.now.AddDate(0, 0, -1)
	require.Equal(t, version, w.learn(t, 1, w.draw("a", 3, honest)...).Version())
}

// If the models do as predicted later, corrections go back.
func TestCorrectionsGoBack(t *testing.T) {
	w := newWorld(7)
	table := w.learn(t, 3, w.draw("a", 600, honest)...)
	require.Less(t, qualities(table, "a", "law")[weak], predicted[weak]-80)
	for range 20 {
		later := w.draw("a", 200, honest)
		for i := range later {
			later[i].Observed = later[i].Predicted
		}
		table = w.learn(t, 1, later...)
	}
	require.InDelta(t, predicted[weak], qualities(table, "a", "law")[weak], 30)
}

func TestOldOutcomesFade(t *testing.T) {
	w := newWorld(8)
	require.False(t, w.learn(t, 3, w.draw("a", 2000, honest)...).IsShipped())
	w.learn(t, 600)
	require.Empty(t, w.state.Accounts)
	require.True(t, w.state.Current.IsShipped())
}

func TestStateAndTableSurviveTheStore(t *testing.T) {
	w := newWorld(9)
	table := w.learn(t, 3, w.draw("a", 600, honest)...)
	body, err := table.Encode()
	require.NoError(t, err)
	again, err := evidence.DecodeTable(body)
	require.NoError(t, err)
	require.Equal(t, table, again)
	stored, err := w.state.Encode()
	require.NoError(t, err)
	state, err := evidence.DecodeState(stored)
	require.NoError(t, err)
	require.Equal(t, w.state, state)
	_, err = evidence.DecodeState([]byte("{"))
	require.Error(t, err)
}

// A clock that was far ahead for one step does not stop the learner for the time between.
func TestAClockThatIsSetBackDoesNotStopTheLearner(t *testing.T) {
	w := newWorld(1)
	now := w.now
	w.now = now.AddDate(1, 0, 0)
	w.learn(t, 1)
	w.now = now
	table := w.learn(t, 10, w.draw("a", 2000, honest)...)
	require.Less(t, qualities(table, "a", "law")[weak], int64(600))
}

// A model that is equally bad at every topic gets one correction. Topics would add noise.
func TestTopicsApplyOnlyIfTheyAddSomething(t *testing.T) {
	withTopics := 0
	for seed := range uint64(30) {
		w := newWorld(seed)
		for range 6 {
			all := w.draw("a", 150, honest)
			for i := range all {
				chance := float64(predicted[strong]) / 1000
				if all[i].Model == weak {
					chance = 0.45
				}
				if all[i].Observed = 0; w.random.Float64() < chance {
					all[i].Observed = 1000
				}
			}
			w.learn(t, 1, all...)
		}
		table := w.state.Current
		require.NotEmpty(t, table.Accounts["a"])
		for cell := range table.Accounts["a"] {
			if cell.Topic != "" {
				withTopics++
				break
			}
		}
	}
	require.LessOrEqual(t, withTopics, 2)
}
