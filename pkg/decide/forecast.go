package decide

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Bounds of the number of further turns that a session is expected to have.
const (
	minFurtherTurns = 1
	maxFurtherTurns = 40
)

// toolLoopTurns is the assumed length of a tool loop. A request that offers tools mostly
// starts one, and the loop stays with its model, so a choice counts for that many turns.
const toolLoopTurns = 6

// turnDuration is the assumed time between the starts of two turns. It determines which of the
// dated prices the further turns pay.
const turnDuration = 45 * time.Second

// forecast is what the rest of a session is expected to be. It does not depend on the
// candidate.
type forecast struct {
	// turns is the number of further turns, after this request.
	turns int64
	// input is the number of input tokens of this request, and added the number that each
	// further turn adds.
	input, added int64
	// laterInput is the number of input tokens of a further turn of average length, without
	// those that it adds itself.
	laterInput int64
	// output is the number of output tokens of this request, and laterOutput that of a
	// further turn.
	output, laterOutput int64
	// now is the time of the request in Unix seconds; 0 means unknown.
	now int64
	// pause is the time since the last turn in seconds. A pause of that length is expected
	// again before every pauseEvery-th further turn.
	pause, pauseEvery int64
}

// estimate forecasts the rest of a session from its turns so far: a session that had
// n turns is expected to have n more. Before the first turn, a turn is assumed to add its
// response and as many other tokens.
func (f *forecast) estimate(q *Question, session *Session) {
	*f = forecast{
		input: clampTokens(q.InputTokens), added: clampTokens(session.AddedTokens),
		output: predictedOutput(q, 0), laterOutput: clampTokens(session.OutputTokens), pauseEvery: 1,
	}
	least := int64(minFurtherTurns)
	if slices.Contains(q.Needs, catalog.Tools) {
		least = toolLoopTurns
	}
	f.turns = min(max(session.Turns, least), maxFurtherTurns)
	if f.laterOutput == 0 {
		f.laterOutput = f.output
	}
	if session.Turns <= 0 {
		f.added = 2 * f.laterOutput
	}
	f.laterInput = f.input + f.added*(f.turns-1)/2
	if q.At.IsZero() {
		return
	}
	f.now = q.At.Unix()
	if session.LastAt > 0 {
		f.pause = max(f.now-session.LastAt, 0)
	}
	// A user who pauses lets the agent work on for a tool loop. A tool that takes long
	// pauses before every turn.
	if !session.ToolLoop {
		f.pauseEvery = least
	}
}

// furtherInput returns the input tokens of a further turn of average length, if a candidate serves
// the rest of the session: those that it reads from its cache, and the others. ttl is the lifetime
// of its cache in seconds. A turn after a longer pause pays for its whole prompt again.
func (f *forecast) furtherInput(caches bool, ttl int64) (read, added int64) {
	switch {
	case !caches:
		return 0, f.laterInput + f.added
	case f.pause > ttl:
		expired := f.laterInput / f.pauseEvery
		return f.laterInput - expired, f.added + expired
	}
	return f.laterInput, f.added
}

// middle returns the time in the middle of the further turns of a request. It is zero if the
// time of the request is unknown.
func (f *forecast) middle(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.Add(time.Duration(f.turns) * turnDuration / 2)
}

// PredictedOutputTokens is the assumed length of a response in tokens, for cost
// predictions, of a model whose usual length is unknown. A lower limit of the client
// replaces it.
const PredictedOutputTokens = 512

// predictedOutput returns the expected output tokens of a request by a model with a usual
// length of responses; 0 means unknown. For a request of a session it is the average of the
// session.
func predictedOutput(q *Question, usual int64) int64 {
	if q.Kind != catalog.Chat {
		return 0
	}
	expected := int64(PredictedOutputTokens)
	if usual > 0 {
		expected = clampTokens(usual)
	}
	if s := q.Session; s != nil && !s.SideCall && s.OutputTokens > 0 {
		expected = clampTokens(s.OutputTokens)
	}
	if q.MaxOutputTokens > 0 {
		return min(q.MaxOutputTokens, expected)
	}
	return expected
}
