package anthropic

import (
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// answer is a whole answer on its way into our clients' format.
type answer struct {
	names *names
	in    jsonscan.Reader
	// content and reasoning are strings without their closing quote; details,
	// annotations and calls are elements, each with its comma.
	content, reasoning, details, annotations, calls []byte
	thoughts, letters                               int
	usage                                           usage
	end                                             block
	answered, failed                                bool
}

// translateAnswer makes a chat completion of a message. A body that says error
// comes back as it is: package openai knows what that means. One that has no
// message is PROVIDER_INVALID_RESPONSE.
func translateAnswer(body []byte, n *names) ([]byte, error) {
	a := answer{names: n}
	r := &a.in
	r.Reset(body, true)
	if !r.Open(jsonscan.BeginObject) {
		return nil, invalid("not a JSON object")
	}
	for r.Member() {
		a.member(string(r.Name()))
	}
	switch {
	case r.End() != nil:
		return nil, invalid("not valid JSON")
	case a.failed:
		return body, nil
	case !a.answered:
		return nil, invalid("no content")
	}
	return a.append(make([]byte, 0, len(body)+512)), nil
}

func (a *answer) member(name string) {
	switch name {
	case "content":
		a.readContent()
	case "usage":
		a.usage.read(&a.in)
	case "error":
		a.failed = !isNull(a.in.Value()) || a.failed
	case "stop_reason":
		a.end.stopReason = a.in.Value()
	case "stop_details":
		a.end.stopDetails = a.in.Value()
	default:
		a.in.Value()
	}
}

func (a *answer) readContent() {
	if !a.in.Open(jsonscan.BeginArray) {
		a.in.Value()
		return
	}
	a.answered = true
	for a.in.Element() {
		var b block
		b.read(&a.in)
		a.block(&b)
	}
}

// block adds a block. Those that are about the upstream's own tools are its own
// affair.
func (a *answer) block(b *block) {
	switch word(b.kind) {
	case "text":
		a.text(b)
	case "thinking":
		if says(b.thinking) {
			a.reasoning = appendJoined(a.reasoning, b.thinking)
		}
		if says(b.signature) {
			a.details = appendThought(a.details, a.thoughts, orEmpty(b.thinking), b.signature)
			a.thoughts++
		}
	case "redacted_thinking":
		if says(b.data) {
			a.details = appendHidden(a.details, a.thoughts, b.data)
			a.thoughts++
		}
	case "tool_use":
		a.call(b)
	}
}

func (a *answer) text(b *block) {
	if !isText(b.text) {
		return
	}
	from := a.letters
	a.letters += letters(b.text)
	a.content = appendJoined(a.content, b.text)
	for citation := range jsonscan.Elements(b.citations) {
		a.annotations = appendCitation(a.annotations, citation, from, a.letters)
	}
}

func (a *answer) call(b *block) {
	dst := append(a.calls, `{`...)
	if says(b.id) {
		dst = appendMember(dst, "id", b.id)
	}
	dst = append(dst, `"type":"function","function":{`...)
	if says(b.name) {
		dst = appendMember(dst, "name", a.names.back(b.name))
	}
	dst = append(dst, `"arguments":`...)
	dst = append(dst, b.arguments()...)
	a.calls = append(dst, "}},"...)
}

func (a *answer) append(dst []byte) []byte {
	dst = append(dst, `{"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	if a.content == nil {
		dst = append(dst, "null,"...)
	} else {
		dst = append(append(dst, a.content...), `",`...)
	}
	if a.reasoning != nil {
		dst = appendMember(dst, "reasoning_content", append(a.reasoning, '"'))
	}
	dst = appendMember(dst, "refusal", refusal(&a.end))
	dst = appendList(dst, "reasoning_details", a.details)
	dst = appendList(dst, "annotations", a.annotations)
	dst = appendList(dst, "tool_calls", a.calls)
	dst = closed(dst, `},"finish_reason":`)
	dst = append(dst, finishReason(a.end.stopReason)...)
	dst = append(dst, "}]"...)
	if a.usage.seen {
		dst = a.usage.append(append(dst, `,"usage":`...), true)
	}
	return append(dst, '}')
}

// appendList writes elements that have their commas as a member.
func appendList(dst []byte, name string, elements []byte) []byte {
	if len(elements) == 0 {
		return dst
	}
	dst = append(dst, `"`+name+`":[`...)
	return closed(append(dst, elements...), "],")
}

// refusal is what the upstream says about why it stopped, nil if it does not.
func refusal(end *block) []byte {
	if v := member(end.stopDetails, "explanation"); says(v) && word(end.stopReason) == "refusal" {
		return v
	}
	return nil
}

// orEmpty is v if it is a string.
func orEmpty(v []byte) []byte {
	if isText(v) {
		return v
	}
	return []byte(`""`)
}
