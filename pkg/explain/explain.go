// Package explain says in words why a decision predicted what it did: what kind of request it
// is, what makes the request hard or easy, and how far the learned predictor can be trusted.
//
// It reads only what the record of a request contains, never the text. The page of a request,
// the command line and a replay therefore show the same words. For example, the features
//
//	code 700, length 4, trace 1, task_fix 1, learned (absent)
//
// give the reasons "long code with a stack trace" and "asks to fix something", and the guard
// says that the request is outside what the predictor was trained on.
package explain

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Facts are the recorded inputs of a decision that the words depend on.
type Facts struct {
	Features decide.NamedValues
	// Qualities are predicted qualities by model, in thousandths.
	Qualities decide.NamedValues
	// Predictor is empty if no quality was predicted.
	Predictor string
}

// Explanation is what the facts say, in words.
type Explanation struct {
	// Reasons are the strongest reasons for the predicted qualities, at most maxReasons. The
	// first one says what kind of request it is.
	Reasons []Reason `json:"reasons"`
	Guard   Guard    `json:"guard"`
	// Signals are the features with names and values for a human reader.
	Signals []Signal `json:"signals"`
}

// Reason is something about the request that makes it hard or easy for a model.
type Reason struct {
	// Text is a noun phrase such as "multi-step mathematics".
	Text   string `json:"text"`
	Effect Effect `json:"effect"`
}

// Effect is how a reason changes the predicted quality of all models.
type Effect string

// The effects.
const (
	// Harder means that the predicted qualities fall, most for weak models.
	Harder Effect = "harder"
	// Easier means that the predicted qualities rise, most for weak models.
	Easier Effect = "easier"
	// Neutral means that the reason only names the kind of request.
	Neutral Effect = "neutral"
)

// maxReasons is how many reasons a reader takes in at a glance.
const maxReasons = 3

// Explain returns the explanation of a decision.
func Explain(f Facts) Explanation {
	return Explanation{Reasons: findReasons(f.Features), Guard: describeGuard(f), Signals: describeSignals(f.Features)}
}

// JoinReasons writes reasons as one line, such as "multi-step mathematics (harder), asks for a
// short response (easier)".
func JoinReasons(reasons []Reason) string {
	var parts []string
	for _, r := range reasons {
		if r.Effect != Neutral {
			r.Text += " (" + string(r.Effect) + ")"
		}
		parts = append(parts, r.Text)
	}
	return strings.Join(parts, ", ")
}
