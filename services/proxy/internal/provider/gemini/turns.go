package gemini

import "github.com/go-json-experiment/json/jsontext"

// speaker is the author of a turn. Google has the roles user and model. Tool results
// have the role user but form their own turns.
type speaker string

const (
	speakerUser    speaker = "user"
	speakerModel   speaker = "model"
	speakerResults speaker = "results"
)

// conversation builds systemInstruction and contents.
type conversation struct {
	system, contents jsonWriter
	// turn is the speaker of the open turn, or "" if none is open.
	turn speaker
	// pendingCalls counts the tool calls of the last turn that have no result yet. waiting
	// holds user parts that must come after these results.
	pendingCalls int
	waiting      jsonWriter
	// functionNames maps call ids to function names.
	functionNames map[string]jsontext.Value
}

// startPart returns the writer for the next part of the speaker. Consecutive turns of one
// speaker are merged. User parts wait until all pending tool calls have a result, the next
// model turn starts, or the conversation ends.
func (d *requestTranslator) startPart(s speaker) *jsonWriter {
	switch {
	case s == speakerUser && d.pendingCalls > 0:
		return &d.waiting
	case s != speakerResults:
		d.flushWaiting()
	}
	o := &d.contents
	if d.turn == s {
		return o
	}
	if d.turn != "" {
		o.buf = append(o.buf, "]}"...)
	}
	d.turn = s
	if s == speakerModel {
		d.pendingCalls = 0
	}
	role := s
	if s == speakerResults {
		role = speakerUser
	}
	o.open('{')
	o.key("role").quote([]byte(role))
	o.key("parts").open('[')
	return o
}

func (d *requestTranslator) flushWaiting() {
	if d.waiting.isEmpty() {
		return
	}
	waiting := d.waiting.buf
	d.waiting, d.pendingCalls = jsonWriter{}, 0
	d.startPart(speakerUser).raw(waiting)
}
