package anthropic

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// responseTranslator translates a complete response into a chat completion.
type responseTranslator struct {
	names *toolNames
	in    jsonscan.Reader
	// content and reasoning are JSON strings without their closing quote. details,
	// annotations and calls hold array elements, each with a trailing comma.
	content, reasoning, details, annotations, calls []byte
	thinkingCount, textLen                          int
	usage                                           usage
	stop                                            contentBlock
	hasContent, hasError                            bool
}

// translateResponse returns the chat completion for a response body. If the body contains
// an error, it returns the body unchanged, because package upstreamerror classifies errors. It
// fails with PROVIDER_INVALID_RESPONSE if the body is not a JSON object with a content array.
func translateResponse(body []byte, n *toolNames) ([]byte, error) {
	a := responseTranslator{names: n}
	r := &a.in
	r.Reset(body, true)
	if !r.Enter(jsonscan.BeginObject) {
		return nil, invalidResponseError("not a JSON object")
	}
	for r.NextMember() {
		a.readMember(string(r.Name()))
	}
	switch {
	case r.CheckEnd() != nil:
		return nil, invalidResponseError("not valid JSON")
	case a.hasError:
		return body, nil
	case !a.hasContent:
		return nil, invalidResponseError("no content")
	}
	return a.appendCompletion(make([]byte, 0, len(body)+512)), nil
}

func (a *responseTranslator) readMember(name string) {
	switch name {
	case "content":
		a.readContent()
	case "usage":
		a.usage.read(a.in.Value())
	case "error":
		a.hasError = !jsonscan.IsNull(a.in.Value()) || a.hasError
	case "stop_reason":
		a.stop.stopReason = a.in.Value()
	case "stop_details":
		a.stop.stopDetails = a.in.Value()
	default:
		a.in.Value()
	}
}

func (a *responseTranslator) readContent() {
	if !a.in.Enter(jsonscan.BeginArray) {
		a.in.Value()
		return
	}
	a.hasContent = true
	for a.in.NextElement() {
		var b contentBlock
		b.readFrom(&a.in)
		a.addBlock(&b)
	}
}

// addBlock adds a block to the completion. It ignores blocks of other types, such as those of
// the upstream's built-in tools.
func (a *responseTranslator) addBlock(b *contentBlock) {
	switch stringValue(b.kind) {
	case "text":
		a.addText(b)
	case "thinking":
		if hasText(b.thinking) {
			a.reasoning = appendString(a.reasoning, b.thinking)
		}
		if hasText(b.signature) {
			a.details = appendTextDetail(a.details, a.thinkingCount, stringOrEmpty(b.thinking), b.signature)
			a.thinkingCount++
		}
	case "redacted_thinking":
		if hasText(b.data) {
			a.details = appendEncryptedDetail(a.details, a.thinkingCount, b.data)
			a.thinkingCount++
		}
	case "tool_use":
		a.addToolCall(b)
	}
}

func (a *responseTranslator) addText(b *contentBlock) {
	if !jsonscan.IsString(b.text) {
		return
	}
	from := a.textLen
	a.textLen += estimateRunes(b.text)
	a.content = appendString(a.content, b.text)
	for citation := range jsonscan.Elements(b.citations) {
		a.annotations = appendCitation(a.annotations, citation, from, a.textLen)
	}
}

func (a *responseTranslator) addToolCall(b *contentBlock) {
	dst := append(a.calls, `{`...)
	if hasText(b.id) {
		dst = appendMember(dst, "id", b.id)
	}
	dst = append(dst, `"type":"function","function":{`...)
	if hasText(b.name) {
		dst = appendMember(dst, "name", a.names.toClient(b.name))
	}
	dst = append(dst, `"arguments":`...)
	dst = append(dst, b.argumentsString()...)
	a.calls = append(dst, "}},"...)
}

func (a *responseTranslator) appendCompletion(dst []byte) []byte {
	dst = append(dst, `{"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	if a.content == nil {
		dst = append(dst, "null,"...)
	} else {
		dst = append(append(dst, a.content...), `",`...)
	}
	if a.reasoning != nil {
		dst = appendMember(dst, "reasoning_content", append(a.reasoning, '"'))
	}
	dst = appendMember(dst, "refusal", refusalText(&a.stop))
	dst = appendArray(dst, "reasoning_details", a.details)
	dst = appendArray(dst, "annotations", a.annotations)
	dst = appendArray(dst, "tool_calls", a.calls)
	dst = closeWith(dst, `},"finish_reason":`)
	dst = append(dst, toFinishReason(a.stop.stopReason)...)
	dst = append(dst, "}]"...)
	if a.usage.HasAny {
		dst = a.usage.appendUsage(append(dst, `,"usage":`...), true)
	}
	return append(dst, '}')
}

// appendArray appends a member whose value is an array. It appends nothing if there are no
// elements. Each element has a trailing comma.
func appendArray(dst []byte, name string, elements []byte) []byte {
	if len(elements) == 0 {
		return dst
	}
	dst = append(dst, `"`+name+`":[`...)
	return closeWith(append(dst, elements...), "],")
}

// refusalText returns the upstream's explanation of a refusal, or nil.
func refusalText(end *contentBlock) []byte {
	if v := jsonscan.Member(end.stopDetails, "explanation"); hasText(v) && stringValue(end.stopReason) == "refusal" {
		return v
	}
	return nil
}

// stringOrEmpty returns v if v is a string. Otherwise it returns an empty JSON string.
func stringOrEmpty(v []byte) []byte {
	if jsonscan.IsString(v) {
		return v
	}
	return []byte(`""`)
}
