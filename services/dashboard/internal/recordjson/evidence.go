package recordjson

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// Evidence is one observation about how good a response was.
type Evidence struct {
	Kind   string `json:"kind"`
	Source string `json:"source"`
	// Score is from 0 (bad) to 1 (good). It is 0 for signals.
	Score float64 `json:"score"`
	// Weight is from 0 to 1: how much the observation counts.
	Weight  float64 `json:"weight"`
	Reason  *string `json:"reason"`
	Created string  `json:"created"`
}

// ToEvidence converts an observation.
func ToEvidence(e evidence.Item) Evidence {
	return Evidence{
		Kind: string(e.Kind), Source: e.Source, Score: float64(e.Score) / evidence.FullWeight, Weight: float64(e.Weight) / evidence.FullWeight,
		Reason: jsonvalue.NullIfZero(e.Reason), Created: jsonvalue.FormatTime(e.Created),
	}
}
