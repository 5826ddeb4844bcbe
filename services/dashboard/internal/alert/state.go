package alert

import (
	"cmp"
	"time"
)

const (
	// fireAfter is how long a value must be too high before the rule fires, and resolveAfter
	// how long it must be low enough before the rule resolves. A short peak therefore sends
	// nothing, and a value that moves around the threshold does not send again and again.
	fireAfter    = time.Minute
	resolveAfter = 5 * time.Minute
	// clearFactor is the part of the threshold below which a value is low enough.
	clearFactor = 0.8
	// fallingClearFactor is clearFactor for kinds whose low values are bad.
	fallingClearFactor = 1.1
)

// Reading is a measured value of one subject.
type Reading struct {
	// Subject is empty for kinds with a single value.
	Subject, Name string
	Value         float64
	// Quiet means that there is too little data to fire. It counts as low enough.
	Quiet bool
	// Detail completes the message; may be empty.
	Detail string
}

func (r Rule) isBreached(v Reading) bool {
	spec, _ := r.Kind.Spec()
	if spec.Falling {
		return !v.Quiet && v.Value <= r.Threshold
	}
	return !v.Quiet && v.Value >= r.Threshold
}

// compareBadness orders readings: the worst one first, and those with too little data last.
func (r Rule) compareBadness(a, b Reading) int {
	if a.Quiet != b.Quiet {
		if a.Quiet {
			return 1
		}
		return -1
	}
	if spec, _ := r.Kind.Spec(); spec.Falling {
		return cmp.Compare(a.Value, b.Value)
	}
	return cmp.Compare(b.Value, a.Value)
}

func (r Rule) isClear(v Reading) bool {
	spec, _ := r.Kind.Spec()
	switch {
	case v.Quiet:
		return true
	case spec.Falling:
		return v.Value > r.Threshold*fallingClearFactor
	case spec.Unit == Occurrence:
		return v.Value < r.Threshold
	}
	return v.Value < r.Threshold*clearFactor
}

// Observe returns the state after a reading. changed reports whether Firing has changed.
func (s State) Observe(r Rule, v Reading, now time.Time) (next State, changed bool) {
	next = s
	next.Value, next.Name = v.Value, v.Name
	differs, hold := r.isBreached(v), fireAfter
	if s.Firing {
		differs, hold = r.isClear(v), resolveAfter
	}
	switch {
	case !differs:
		next.Suspect = time.Time{}
	case s.Suspect.IsZero():
		next.Suspect = now
	case now.Sub(s.Suspect) >= hold:
		next.Firing, next.Since, next.Suspect = !s.Firing, now, time.Time{}
		return next, true
	}
	return next, false
}

// needsSaving reports whether the store must know the next state. The value alone is not
// worth a write.
func (s State) needsSaving(next State) bool {
	return s.Firing != next.Firing || !s.Suspect.Equal(next.Suspect)
}
