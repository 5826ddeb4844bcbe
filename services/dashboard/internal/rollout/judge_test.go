package rollout

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

var usual = Limits{Errors: 0.02, Latency: 0.5, Cost: 0.5, Quality: 0.03}

// truth is how the requests of a version turn out.
type truth struct{ errors, latency, cost, flagged, liked float64 }

// request adds one request to the figures.
func (v truth) request(random *rand.Rand, f *Figures) {
	cost := int64(v.cost * math.Exp(random.NormFloat64()))
	r := &record.Record{Outcome: record.OutcomeOK, Cost: &cost, Latency: int64(v.latency * math.Exp(0.7*random.NormFloat64()))}
	if random.Float64() < v.errors {
		r.Outcome = record.OutcomeError
	}
	f.Add(r, r.Outcome == record.OutcomeOK)
	if random.Float64() < v.flagged {
		f.FlaggedWeight++
	}
	if random.Float64() < 0.2 {
		score := 0.0
		if random.Float64() < v.liked {
			score = 1
		}
		f.Rated.Add(score)
	}
}

var normal = truth{errors: 0.03, latency: 900_000, cost: 400_000, flagged: 0.05, liked: 0.8}

// watch returns after how many requests of the candidate a guardrail is first breached, and
// which one. It looks after every request. A tenth of the requests are the candidate's.
func watch(stable, candidate truth, requests int, seed uint64) (int64, Name) {
	random := rand.New(rand.NewPCG(seed, 7))
	var s Sides
	for range requests {
		if random.Float64() >= 0.1 {
			stable.request(random, &s.Stable)
			continue
		}
		candidate.request(random, &s.Candidate)
		for _, g := range Judge(s, usual) {
			if g.Verdict == Breached {
				return s.Candidate.Requests, g.Name
			}
		}
	}
	return 0, ""
}

// The candidate is as bad as the limits allow. Even then a look after every request raises
// few false alarms.
func TestFalseAlarmsAreRare(t *testing.T) {
	t.Parallel()
	limit := truth{
		errors: normal.errors + usual.Errors, latency: normal.latency * (1 + usual.Latency), cost: normal.cost * (1 + usual.Cost),
		flagged: normal.flagged + usual.Quality, liked: normal.liked - usual.Quality,
	}
	const runs = 60
	alarms := 0
	for seed := range uint64(runs) {
		if n, _ := watch(normal, limit, 4000, seed); n > 0 {
			alarms++
		}
	}
	t.Logf("%d false alarms in %d runs", alarms, runs)
	require.LessOrEqual(t, alarms, runs/20)
}

func TestABadCandidateIsFound(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		candidate truth
		within    int64
		by        Name
	}{
		"all fail":  {truth{errors: 1, latency: 1000, cost: 1}, 12, Errors},
		"many fail": {truth{errors: 0.4, latency: 900_000, cost: 400_000, flagged: 0.05, liked: 0.8}, 120, Errors},
		"slow":      {truth{errors: 0.03, latency: 3_600_000, cost: 400_000, flagged: 0.05, liked: 0.8}, 150, Latency},
		"expensive": {truth{errors: 0.03, latency: 900_000, cost: 3_000_000, flagged: 0.05, liked: 0.8}, 300, Cost},
		"empty":     {truth{errors: 0.03, latency: 900_000, cost: 400_000, flagged: 0.5, liked: 0.8}, 120, Signals},
		"disliked":  {truth{errors: 0.03, latency: 900_000, cost: 400_000, flagged: 0.05, liked: 0.2}, 400, Feedback},
	} {
		for seed := range uint64(3) {
			n, by := watch(normal, one.candidate, 8000, seed)
			require.Equal(t, one.by, by, name)
			require.LessOrEqual(t, n, one.within, name)
		}
	}
}

func TestEqualVersionsStayWithinTheLimits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var s Sides
	for range 100_000 {
		normal.request(random, &s.Stable)
		normal.request(random, &s.Candidate)
	}
	for _, g := range Judge(s, usual) {
		require.Equal(t, Within, g.Verdict, "%+v", g)
		require.True(t, g.Interval.Contains(g.Worse))
	}
}

func TestWithoutRequestsThereIsNothingToCompare(t *testing.T) {
	for _, g := range Judge(Sides{}, usual) {
		require.Equal(t, NoData, g.Verdict)
	}
	free := Sides{}
	for range 100 {
		nothing := int64(0)
		free.Stable.Add(&record.Record{Outcome: record.OutcomeOK, Cost: &nothing, Latency: 5}, false)
		free.Candidate.Add(&record.Record{Outcome: record.OutcomeOK, Cost: &nothing, Latency: 5}, false)
	}
	for _, g := range Judge(free, usual) {
		require.NotEqual(t, Breached, g.Verdict, g.Name)
	}
}

func TestWhatIsDecided(t *testing.T) {
	begun := time.Unix(1_000_000, 0)
	state := State{StepStarted: begun, MinStep: time.Minute, MaxStep: time.Hour, MinRequests: 100}
	enough := Sides{Figures{Requests: 900}, Figures{Requests: 100}}
	few := Sides{Figures{Requests: 900}, Figures{Requests: 99}}
	breached := []Guardrail{{Name: Errors, Verdict: Breached, Candidate: 0.5, CandidateSamples: 20, StableSamples: 180, Limit: 0.02}}
	suspect := []Guardrail{{Name: Cost, Verdict: Suspect}}
	halted, manual := state, state
	halted.Halted, manual.Manual = true, true
	for name, one := range map[string]struct {
		state State
		sides Sides
		all   []Guardrail
		after time.Duration
		want  Action
	}{
		"too early":         {state, enough, nil, 59 * time.Second, Wait},
		"time and data":     {state, enough, nil, time.Minute, Advance},
		"too little data":   {state, few, nil, time.Minute, Wait},
		"never enough data": {state, few, nil, time.Hour, Halt},
		"suspect":           {state, enough, suspect, time.Minute, Wait},
		"suspect for long":  {state, enough, suspect, time.Hour, Halt},
		"breached at once":  {state, few, breached, time.Second, RollBack},
		"breached, halted":  {halted, few, breached, time.Second, RollBack},
		"halted":            {halted, enough, nil, 2 * time.Hour, Wait},
		"manual":            {manual, enough, nil, 2 * time.Hour, Wait},
		"breached, by hand": {manual, enough, breached, time.Second, RollBack},
	} {
		got, reason := Decide(one.state, one.sides, one.all, begun.Add(one.after))
		require.Equal(t, one.want, got, name)
		require.Equal(t, one.want == Halt || one.want == RollBack, reason != "", name)
	}
	_, reason := Decide(state, few, breached, begun)
	require.Equal(t, "Error rate 50 % with the new version, 0 % with the stable one (20 and 180 requests): at least 0 points higher, limit 2", reason)
}

// Six failures of ten prove nothing while the stable version has served only ten requests.
func TestTheStableVersionIsUncertainToo(t *testing.T) {
	for _, g := range Judge(Sides{Figures{Requests: 10}, Figures{Requests: 10, Failures: 6}}, usual) {
		require.NotEqual(t, Breached, g.Verdict)
	}
	require.Equal(t, Breached, Judge(Sides{Figures{Requests: 400}, Figures{Requests: 10, Failures: 6}}, usual)[0].Verdict)
}
