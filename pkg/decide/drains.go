package decide

import "slices"

// Drain is what an operator has drained. An empty Provider means every provider of the
// model, an empty Model every model of the provider.
type Drain struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// DrainSet is what is drained at one time. It never changes. Nil means nothing. It is the
// Health of a process that knows only the drains.
type DrainSet struct{ all []Drain }

// NewDrainSet returns a set of drains. A drain without provider and model is ignored.
func NewDrainSet(all []Drain) *DrainSet {
	return &DrainSet{slices.DeleteFunc(slices.Clone(all), func(d Drain) bool { return d == Drain{} })}
}

// All returns the drains. The caller must not change them.
func (s *DrainSet) All() []Drain {
	if s == nil {
		return nil
	}
	return s.all
}

// Includes reports whether a candidate is drained. Operators drain few things at a time, so
// it searches a list.
func (s *DrainSet) Includes(c Candidate) bool {
	for _, d := range s.All() {
		if (d.Provider == "" || d.Provider == c.Provider) && (d.Model == "" || d.Model == c.Model) {
			return true
		}
	}
	return false
}

// DownReason returns Drained for a drained candidate and "" for any other.
func (s *DrainSet) DownReason(c Candidate) string {
	if s.Includes(c) {
		return Drained
	}
	return ""
}

// Latency returns 0.
func (*DrainSet) Latency(Candidate) int64 { return 0 }
