package openairesponses

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// responseObject holds the members of a response, as raw JSON.
type responseObject struct {
	status, failure, incomplete, output, usage, serviceTier []byte
}

func parseResponse(raw []byte) (r responseObject) {
	readObject(raw, nil, field{"status", &r.status}, field{"error", &r.failure}, field{"incomplete_details", &r.incomplete},
		field{"output", &r.output}, field{"usage", &r.usage}, field{"service_tier", &r.serviceTier})
	return r
}

// failed reports whether the response is an error.
func (r *responseObject) failed() bool {
	return !isEmpty(r.failure) || stringValue(r.status) == "failed"
}

// errorBody returns the error of the response in a form that package upstreamerror recognizes.
func (r *responseObject) errorBody() []byte {
	failure := r.failure
	if isEmpty(failure) {
		failure = []byte(`{"message":"the response failed"}`)
	}
	return append(append([]byte(`{"error":`), failure...), '}')
}

// responseTranslator translates a complete response into a chat completion.
type responseTranslator struct {
	// content, refusal and reasoning are JSON strings without their closing quote. The other
	// values hold array elements, each with a trailing comma.
	content, refusal, reasoning           []byte
	details, annotations, logprobs, calls []byte
	reasoningCount                        int
}

// translateResponse returns the chat completion for a response body. If the body contains
// an error, it returns the error, because package upstreamerror classifies errors. It fails
// with PROVIDER_INVALID_RESPONSE if the body is not a response with an output.
func translateResponse(body []byte) ([]byte, error) {
	if !jsonscan.Valid(body) {
		return nil, invalidResponseError("not valid JSON")
	}
	r := parseResponse(body)
	switch {
	case r.failed():
		return r.errorBody(), nil
	case !isArray(r.output):
		return nil, invalidResponseError("no output")
	}
	var t responseTranslator
	for raw := range jsonscan.Elements(r.output) {
		item := parseItem(raw)
		t.addItem(&item)
	}
	return t.appendCompletion(make([]byte, 0, len(body)+512), &r), nil
}

func (t *responseTranslator) addItem(item *outputItem) {
	switch stringValue(item.kind) {
	case itemMessage:
		t.addMessage(item)
	case itemReasoning:
		t.reasoning = item.reasoningText(t.reasoning)
		t.details = appendDetails(t.details, item, t.reasoningCount)
		t.reasoningCount++
	case itemFunctionCall, itemCustomCall:
		t.calls = closeWith(item.appendCall(append(t.calls, '{'), item.callArguments()), "},")
	}
}

// addMessage adds the parts of a message. A paragraph separates the texts of two messages.
func (t *responseTranslator) addMessage(item *outputItem) {
	separator := paragraph
	for part := range jsonscan.Elements(item.content) {
		var text, refusal, annotations, logprobs []byte
		readObject(part, nil, field{"text", &text}, field{"refusal", &refusal}, field{"annotations", &annotations}, field{"logprobs", &logprobs})
		if hasText(text) {
			t.content = appendText(t.content, text, separator)
			separator = ""
		}
		if hasText(refusal) {
			t.refusal = appendText(t.refusal, refusal, "")
		}
		for annotation := range jsonscan.Elements(annotations) {
			t.annotations = appendAnnotation(t.annotations, annotation)
		}
		for entry := range jsonscan.Elements(logprobs) {
			t.logprobs = append(append(t.logprobs, entry...), ',')
		}
	}
}

func (t *responseTranslator) appendCompletion(dst []byte, r *responseObject) []byte {
	dst = append(dst, `{"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	if t.content == nil {
		dst = append(dst, "null,"...)
	} else {
		dst = append(append(dst, t.content...), `",`...)
	}
	dst = appendOpenString(dst, "reasoning_content", t.reasoning)
	dst = appendOpenString(dst, "refusal", t.refusal)
	dst = appendArray(dst, "reasoning_details", t.details)
	dst = appendArray(dst, "annotations", t.annotations)
	dst = appendArray(dst, "tool_calls", t.calls)
	dst = closeWith(dst, "},")
	if len(t.logprobs) > 0 {
		dst = closeWith(appendArray(append(dst, `"logprobs":{`...), "content", t.logprobs), "},")
	}
	dst = append(append(dst, `"finish_reason":`...), finishReason(r, len(t.calls) > 0)...)
	dst = append(dst, "}],"...)
	dst = appendMember(dst, "service_tier", r.serviceTier)
	return closeWith(appendMember(dst, "usage", usagereport.ResponsesToChat(r.usage)), "}")
}

// appendOpenString appends a member whose value is a JSON string without its closing quote. It
// appends nothing if the string is empty.
func appendOpenString(dst []byte, name string, v []byte) []byte {
	if len(v) == 0 {
		return dst
	}
	dst = append(append(append(dst, '"'), name...), `":`...)
	return append(append(dst, v...), `",`...)
}
