package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// responder translates the response to one request.
type responder struct {
	names toolNames
	// includeThoughts is set if the client wants to see the thoughts.
	includeThoughts bool
	array           bool
}

var _ inbound.Responder = (*responder)(nil)

// FromChat translates a complete chat response.
func (r *responder) FromChat(body []byte, o inbound.Options) ([]byte, error) {
	var choices, usage jsontext.Value
	readFields(body, nil, field{"choices", &choices}, field{"usage", &usage})
	if !jsonscan.Valid(body) || choices == nil {
		return nil, upstreamerror.InvalidResponse("no choices")
	}
	w := jsonWriter{buf: make([]byte, 0, len(body)+256)}
	w.open('{')
	w.key("candidates").open('[')
	for choice := range jsonscan.Elements(choices) {
		r.writeCandidate(&w, choice)
	}
	w.close("]")
	writeUsage(&w, usage)
	writeTrailer(&w, o)
	w.close("}")
	return w.buf, nil
}

// writeTrailer writes the members that every response and every frame have.
func writeTrailer(w *jsonWriter, o inbound.Options) {
	w.key("modelVersion").text(o.Model)
	w.key("responseId").text(o.ID)
}

// errNoCandidates is the error for a response that contains nothing.
func errNoCandidates() error { return upstreamerror.InvalidResponse("no candidates") }

func (r *responder) writeCandidate(w *jsonWriter, choice jsontext.Value) {
	message := jsonscan.Member(choice, "message")
	var parts, citations jsonWriter
	r.writeMessageParts(&parts, message)
	addCitations(&citations, jsonscan.Member(message, "annotations"))
	w.open('{')
	writeContent(w, &parts)
	w.key("finishReason").text(toFinishReason(jsonscan.Member(choice, "finish_reason")))
	w.key("index").number(choiceIndex(choice))
	writeCitations(w, &citations)
	writeLogprobs(w, jsonscan.Member(choice, "logprobs"))
	w.close("}")
}

func choiceIndex(choice jsontext.Value) int64 {
	n, _ := jsonscan.ParseInteger(jsonscan.Member(choice, "index"))
	return n
}

// writeContent writes a content. Without parts it has only the role, like Google's.
func writeContent(w, parts *jsonWriter) {
	w.key("content").open('{')
	w.array("parts", parts)
	w.key("role").text("model")
	w.close("}")
}

// messageFields are the members of a message or delta that become parts.
type messageFields struct {
	content, refusal, reasoning, details, calls, legacyCall, images, annotations jsontext.Value
}

func parseMessage(v jsontext.Value) (m messageFields) {
	for name, v := range jsonscan.Members(v) {
		if to := findField(string(name), []field{
			{"content", &m.content}, {"refusal", &m.refusal}, {"reasoning_content", &m.reasoning}, {"reasoning_details", &m.details},
			{"tool_calls", &m.calls}, {"function_call", &m.legacyCall}, {"images", &m.images}, {"annotations", &m.annotations},
		}); to != nil && !jsonscan.IsNull(v) {
			*to = v
		}
	}
	return m
}

// writeMessageParts writes the parts of a complete message. The thoughts come first.
func (r *responder) writeMessageParts(w *jsonWriter, message jsontext.Value) {
	m := parseMessage(message)
	var b reasoningBuffer
	b.addText(m.reasoning)
	b.addDetails(m.details)
	if r.includeThoughts && !lacksText(m.reasoning) {
		writeTextPart(w, m.reasoning, true)
	}
	calls := parseCalls(m)
	state := b.takeSignature(calls)
	for _, text := range []jsontext.Value{m.content, m.refusal} {
		if !lacksText(text) {
			writeTextPart(w, text, false)
		}
	}
	writeImageParts(w, m.images)
	if len(calls) == 0 && len(state) > 0 {
		addSignature(w, state)
	}
	for i := range calls {
		r.writeCallPart(w, &calls[i])
	}
}

// parseCalls returns the complete tool calls of a message.
func parseCalls(m messageFields) (calls []functionCall) {
	for v := range jsonscan.Elements(m.calls) {
		calls = append(calls, parseCall(v))
	}
	if isObject(m.legacyCall) {
		calls = append(calls, functionCall{
			name:      jsonscan.DecodeText(jsonscan.Member(m.legacyCall, "name")),
			arguments: jsonscan.DecodeString(jsonscan.Member(m.legacyCall, "arguments")),
		})
	}
	return calls
}

// addSignature adds a signature to the last part. If there is none, it adds an empty text.
func addSignature(parts *jsonWriter, signature []byte) {
	if parts.isEmpty() {
		writeTextPart(parts, jsontext.Value(`""`), false)
	}
	parts.buf = parts.buf[:len(parts.buf)-1]
	parts.key("thoughtSignature").quote(signature)
	parts.close("}")
}
