package gemini

import (
	"cmp"
	"hash/fnv"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxChoices is the maximum of n in the OpenAI format.
const maxChoices = 128

// messageMember is the name of the member with the message in a complete response.
// deltaMember is its name in a chunk.
const (
	messageMember = "message"
	deltaMember   = "delta"
)

// responseTranslator translates one complete response, or the events of one stream. Each
// event becomes one chunk. It is not safe for concurrent use.
type responseTranslator struct {
	jsonWriter
	// messageKey is messageMember or deltaMember.
	messageKey string
	// responseID is Google's id for the response. callIDBase is the base of generated call
	// ids. It is the response id or, without one, a hash of the first payload.
	responseID, callIDBase string
	choices                []choiceState
	// callCount is the number of tool calls so far, in all choices.
	callCount int
	// searchCount is the number of searches that Google made for the response.
	searchCount int64
	// hasOutput is set once content, a tool call or an image has arrived.
	hasOutput bool
}

// translateResponse returns the chat completion for a response, and Google's id for the
// response. If the body is an error object or cannot be parsed, translateResponse returns the
// body unchanged, and package normalize reports the error.
func translateResponse(body []byte) (completion []byte, id string) {
	t := responseTranslator{messageKey: messageMember}
	completion = t.translate(body)
	return completion, t.responseID
}

// responseFields holds the members of a response or event, as raw JSON.
type responseFields struct {
	candidates, feedback, usage, err jsontext.Value
}

// translate returns the chunk or completion for a payload. The result is valid until the
// next call. A payload that is an error object or not an event is returned unchanged.
func (t *responseTranslator) translate(payload []byte) []byte {
	r, ok := t.readPayload(payload)
	if !ok {
		return payload
	}
	t.buf = t.buf[:0]
	t.open('{')
	t.key("choices").open('[')
	for v := range jsonscan.Elements(r.candidates) {
		t.writeChoice(v)
	}
	if len(t.choices) == 0 && isBlocked(r.feedback) {
		t.writeBlockedChoice()
	}
	t.close(']')
	t.writeUsage(r.usage)
	t.close('}')
	return t.buf
}

// readPayload reads the members of a payload. It returns false if the payload must not be
// translated.
func (t *responseTranslator) readPayload(payload []byte) (responseFields, bool) {
	var r responseFields
	if !jsonscan.Valid(payload) {
		return r, false
	}
	var id jsontext.Value
	readFields(payload, field{"candidates", &r.candidates}, field{"promptFeedback", &r.feedback},
		field{"usageMetadata", &r.usage}, field{"responseId", &id}, field{"error", &r.err})
	if id != nil {
		t.responseID = jsonscan.DecodeText(id)
	}
	if t.callIDBase = cmp.Or(t.callIDBase, t.responseID); t.callIDBase == "" {
		h := fnv.New64a()
		_, _ = h.Write(payload)
		t.callIDBase = strconv.FormatUint(h.Sum64(), 36)
	}
	return r, jsonscan.IsNull(r.err) && (r.candidates != nil || r.feedback != nil || r.usage != nil)
}

func isBlocked(feedback jsontext.Value) bool {
	return !lacksText(jsonscan.Member(feedback, "blockReason"))
}

// writeBlockedChoice writes the choice for a prompt that Google's filter blocked.
func (t *responseTranslator) writeBlockedChoice() {
	t.stateOf(0).finished = true
	t.open('{')
	t.key("index").number(0)
	t.key(t.messageKey).literal(`{"content":""}`)
	t.key("finish_reason").literal(`"content_filter"`)
	t.close('}')
}

// stateOf returns the state of a choice. It adds states as needed.
func (t *responseTranslator) stateOf(index int64) *choiceState {
	if index < 0 || index >= maxChoices {
		return &choiceState{} // package normalize ignores this choice
	}
	for int64(len(t.choices)) <= index {
		t.choices = append(t.choices, choiceState{})
	}
	return &t.choices[index]
}

// isComplete reports whether at least one choice has finished and no started choice is still
// open.
func (t *responseTranslator) isComplete() bool {
	n := 0
	for i := range t.choices {
		if c := &t.choices[i]; c.finished {
			n++
		} else if c.started {
			return false
		}
	}
	return n > 0
}
