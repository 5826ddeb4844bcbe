package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// choiceState is the state of one choice. Google calls a choice a candidate.
type choiceState struct {
	started, finished bool
	// callCount is the number of tool calls sent to the client.
	callCount int
	// openCall is the tool call whose arguments are still arriving.
	openCall *pendingCall
}

// writeChoice writes the part of a choice that one event or response contains.
func (t *responseTranslator) writeChoice(v jsontext.Value) {
	var index int64
	var content, finish, logprobs jsontext.Value
	var s messageDelta
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "index":
			index, _ = strconv.ParseInt(string(v), 10, 64)
		case "content":
			content = v
		case "finishReason":
			finish = v
		case "logprobsResult":
			logprobs = v
		case "citationMetadata":
			s.addCitations(v)
		case "groundingMetadata":
			s.addGroundingSources(v)
			t.searchCount = max(t.searchCount, usagereport.CountSearches(v))
		}
	}
	c := t.stateOf(index)
	c.started = true
	t.addParts(c, jsonscan.Member(content, "parts"), &s)
	reason := string(jsonscan.DecodeString(finish))
	if isFinal(reason) {
		t.flushCall(c, &s)
		c.finished = true
	}
	t.hasOutput = t.hasOutput || len(s.content) > 0 || !s.toolCalls.isEmpty() || !s.images.isEmpty()
	if t.messageKey == deltaMember && !isFinal(reason) && s.isEmpty() {
		return
	}
	t.open('{')
	t.key("index").number(index)
	t.writeMessage(&s)
	writeLogprobs(&t.jsonWriter, logprobs)
	if isFinal(reason) {
		t.key("finish_reason").quote([]byte(toFinishReason(reason, t.hasOutput)))
	}
	t.close('}')
}

func (t *responseTranslator) writeMessage(s *messageDelta) {
	t.key(t.messageKey).open('{')
	if len(s.content) > 0 {
		t.key("content").raw(s.content)
	}
	if len(s.reasoning) > 0 {
		t.key("reasoning_content").raw(s.reasoning)
	}
	t.writeArray("reasoning_details", &s.reasoningDetails)
	t.writeArray("tool_calls", &s.toolCalls)
	t.writeArray("images", &s.images)
	t.writeArray("annotations", &s.annotations)
	t.close('}')
}

func (o *jsonWriter) writeArray(name string, elements *jsonWriter) {
	if elements.isEmpty() {
		return
	}
	o.key(name).open('[')
	o.raw(elements.buf)
	o.close(']')
}
