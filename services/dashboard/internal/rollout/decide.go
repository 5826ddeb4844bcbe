package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is the state of the open rollout, as far as a decision needs it.
type State struct {
	ID                string
	Revision          int64
	Stable, Candidate string
	// Share is in hundredths of a percent.
	Share       int32
	StepStarted time.Time
	// Halted means that the rollout waits for a person. Manual means that only persons
	// advance it.
	Halted, Manual bool
	// MinStep and MaxStep are the shortest and longest duration of a step. MinRequests is
	// how many requests each version must have served in it.
	MinStep, MaxStep time.Duration
	MinRequests      int64
	Limits           Limits
	// Events is what happened, in any order.
	Events []Event
}

// Event is one change of a rollout.
type Event struct {
	// Number identifies the event among those of all rollouts.
	Number         int64
	At             time.Time
	Action         string
	Share          int32
	Author, Reason string
}

// Action is what a controller does.
type Action string

// The actions.
const (
	Wait     Action = ""
	Advance  Action = "advance"
	Halt     Action = "halt"
	RollBack Action = "roll_back"
)

// Decide returns what to do with the rollout now, and why.
func Decide(r State, s Sides, all []Guardrail, now time.Time) (Action, string) {
	if reasons := explain(all, Breached); reasons != "" {
		return RollBack, reasons
	}
	elapsed := now.Sub(r.StepStarted)
	if r.Halted || r.Manual || elapsed < r.MinStep {
		return Wait, ""
	}
	served := min(s.Stable.Requests, s.Candidate.Requests)
	suspect := slices.ContainsFunc(all, func(g Guardrail) bool { return g.Verdict == Suspect })
	switch {
	case served >= r.MinRequests && !suspect:
		return Advance, ""
	case elapsed < r.MaxStep:
		return Wait, ""
	case suspect:
		return Halt, "Not certain after " + r.MaxStep.String() + ": " + explain(all, Suspect)
	}
	return Halt, fmt.Sprintf("Not enough data after %s: a version served %d requests, at least %d are needed", r.MaxStep, served, r.MinRequests)
}

// explain describes the guardrails with a verdict, or returns "".
func explain(all []Guardrail, v Verdict) string {
	var reasons []string
	for _, g := range all {
		if g.Verdict == v {
			reasons = append(reasons, g.describe())
		}
	}
	return strings.Join(reasons, ". ")
}

func (g Guardrail) describe() string {
	from := fmt.Sprintf("%d and %d requests", g.CandidateSamples, g.StableSamples)
	switch g.Name {
	case Errors:
		return fmt.Sprintf("Error rate %s with the new version, %s with the stable one (%s): at least %s points higher, limit %s",
			percent(g.Candidate), percent(g.Stable), from, points(g.Interval.Low), points(g.Limit))
	case Latency:
		return fmt.Sprintf("Typical latency %s with the new version, %s with the stable one (%s): at least %s longer, limit %s",
			micros(g.Candidate), micros(g.Stable), from, percent(g.Interval.Low), percent(g.Limit))
	case Cost:
		return fmt.Sprintf("Mean cost $%.6f with the new version, $%.6f with the stable one (%s): at least %s more, limit %s",
			g.Candidate/1e6, g.Stable/1e6, from, percent(g.Interval.Low), percent(g.Limit))
	}
	return fmt.Sprintf("Quality by %s %s with the new version, %s with the stable one (%s): at least %s points lower, limit %s",
		g.Name, percent(g.Candidate), percent(g.Stable), from, points(g.Interval.Low), points(g.Limit))
}

func percent(v float64) string { return fmt.Sprintf("%.3g %%", max(0, 100*v)) }
func points(v float64) string  { return fmt.Sprintf("%.3g", max(0, 100*v)) }
func micros(v float64) string {
	return (time.Duration(v) * time.Microsecond).Round(time.Millisecond).String()
}
