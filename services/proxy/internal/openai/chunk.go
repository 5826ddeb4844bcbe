package openai

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient is how upstreams are read: with lone surrogates, which they make when
// they cut a text between two halves, and with names twice, of which the last
// one counts.
var lenient = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// chunk is a chunk of a stream, or a whole answer, which differs from it only
// in having message for delta. Its values are slices of what was read; its
// buffers are used again.
type chunk struct {
	scanner
	choices []choice
	usage   usage
	// failed is set if this is an error in the place of an answer, answered
	// if there are choices, and excused if a member says what went wrong,
	// which makes an error of what has neither choices nor usage.
	failed, answered, excused bool
	// inner is the error where it stands in a choice.
	inner jsontext.Value
	// streamed is set if all of it becomes part of a stream, in which a null
	// is but a leftover.
	streamed bool
	// extra has the members that we do not interpret, each with its comma;
	// vendor is set if there is one that only this vendor knows.
	extra  []byte
	vendor bool
}

type choice struct {
	index  int
	finish jsontext.Value
	msg    message
	extra  []byte
	// logprobs is set if extra has them.
	logprobs bool
}

type message struct {
	// seen is the first letter of the name it came by, 0 if there is none.
	seen                   byte
	role, content, refusal jsontext.Value
	calls                  []call
	extra                  []byte
	// says is whether there is anything in it but a role, legacy whether that
	// is a call in the form that came before tools.
	says, legacy bool
	// thought is what the model thought, where it did not come under the name
	// that clients know, and reasoned is set if it came under that, too.
	thought  jsontext.Value
	reasoned bool
	// made is set if content is no slice of what was read.
	made bool
	// text is about the length of all that the model wrote.
	text int
}

// call is one entry of tool_calls, whole or a fragment.
type call struct {
	index                int
	id, kind, name, args jsontext.Value
	// function is set if there is one; a custom tool has none.
	function bool
	// extra and inside are the other members of the call and the function.
	extra, inside []byte
}

// begin enters an upstream's JSON object.
func (c *chunk) begin(payload []byte) {
	if !utf8.Valid(payload) {
		payload = bytes.ToValidUTF8(payload, []byte("\ufffd"))
	}
	c.reset(payload, true)
	c.choices, c.extra = c.choices[:0], c.extra[:0]
	c.usage = usage{extra: c.usage.extra[:0]}
	c.failed, c.answered, c.excused, c.vendor = false, false, false, false
	c.inner = nil
	if !c.open(jsontext.KindBeginObject) {
		c.fail(invalidResponse("not a JSON object"))
	}
}

// parse reads an upstream's JSON. An error is PROVIDER_INVALID_RESPONSE.
func (c *chunk) parse(payload []byte) error {
	c.begin(payload)
	for c.member() {
		c.topMember()
	}
	c.end()
	if c.err != nil {
		return answerError(c.err)
	}
	c.failed = c.failed || c.excused && !c.answered && !c.usage.seen
	return nil
}

func (c *chunk) topMember() {
	switch string(c.name) {
	case "id", "created", "model":
		c.value()
	case "object":
		c.failed = string(c.value()) == `"error"` || c.failed
	case "choices":
		c.answered = true
		c.readChoices()
	case "usage":
		c.readUsage(&c.usage)
	case "x_groq":
		c.innerUsage(c.addVendor())
	case "error":
		c.failed = !isNothing(c.value()) || c.failed
	case "system_fingerprint", "service_tier":
		c.extra = c.appendExtra(c.extra, c.rawName)
	case "message", "msg", "detail", "error_message", "errors":
		c.excused = true
		c.addVendor()
	default:
		c.addVendor()
	}
}

// excuse is where a text that failed says what went wrong.
func (c *chunk) excuse(text []byte) []byte {
	if len(c.inner) > 0 {
		return c.inner
	}
	return text
}

// addVendor takes a member that only this vendor knows, and returns its value.
func (c *chunk) addVendor() jsontext.Value {
	c.vendor = true
	rawName := c.rawName
	v := c.value()
	c.extra = appendMember(c.extra, rawName, v)
	return v
}

func (c *chunk) readChoices() {
	if !c.open(jsontext.KindBeginArray) {
		if !isNull(c.value()) {
			c.fail(invalidResponse("choices is not an array"))
		}
		return
	}
	c.choices = c.choices[:0]
	for c.element() {
		var ch *choice
		c.choices, ch = extend(c.choices)
		*ch = choice{index: len(c.choices) - 1, extra: ch.extra[:0], msg: ch.msg.emptied()}
		c.readChoice(ch)
		if len(c.choices) > maxChoices {
			c.fail(invalidResponse("too many choices"))
		}
	}
}

func (c *chunk) readChoice(ch *choice) {
	if !c.open(jsontext.KindBeginObject) {
		c.fail(invalidResponse("a choice is not an object"))
	}
	for c.member() {
		switch string(c.name) {
		case "index":
			if n, ok := integer(c.value()); ok {
				ch.index = int(n)
			}
		case "finish_reason":
			ch.finish = c.value()
		case "delta", "message":
			c.readMessage(&ch.msg, c.name[0])
		case "usage":
			if !c.usage.seen {
				c.readUsage(&c.usage)
			} else {
				c.value()
			}
		case "error":
			if v := c.value(); !isNothing(v) {
				c.failed, c.inner = true, v
			}
		default:
			ch.logprobs = ch.logprobs || string(c.name) == "logprobs"
			ch.extra = c.appendExtra(ch.extra, c.rawName)
		}
	}
	if ch.index < 0 || ch.index >= maxChoices {
		c.fail(invalidResponse("a choice has an impossible index"))
	}
}

func (m *message) emptied() message {
	return message{calls: m.calls[:0], extra: m.extra[:0]}
}

func (c *chunk) readMessage(m *message, by byte) {
	if m.seen != 0 && m.seen != by || !c.open(jsontext.KindBeginObject) {
		c.value()
		return
	}
	*m = m.emptied()
	m.seen = by
	for c.member() {
		switch string(c.name) {
		case "role":
			m.role = c.value()
		case "content":
			m.setContent(c.value())
		case "refusal":
			m.refusal = asText(c.value())
		case "tool_calls":
			c.readCalls(m)
		case "function_call":
			c.readLegacy(m)
		case "reasoning", "reasoning_content":
			rawName := c.rawName
			m.reasons(rawName, c.value(), c.streamed)
		default:
			m.add(c.rawName, c.value(), c.streamed)
		}
	}
	if len(m.thought) > 0 && !m.reasoned {
		m.add([]byte(`"reasoning_content"`), m.thought, c.streamed)
	}
	if c.streamed && isNull(m.content) {
		m.content = nil
	}
	if c.streamed && isNull(m.refusal) {
		m.refusal = nil
	}
	m.text += textLen(m.content) + textLen(m.refusal)
	m.says = m.says || len(m.calls) > 0 || !isBlank(m.content) || !isBlank(m.refusal)
}

// reasons takes what half of the upstreams call reasoning and the others
// reasoning_content, which is what clients know; some send both. An object is
// another thing.
func (m *message) reasons(rawName []byte, v jsontext.Value, streamed bool) {
	known := string(rawName) == `"reasoning_content"`
	switch {
	case isBlank(v):
		if len(m.thought) == 0 {
			m.thought = v
		}
	case known || !isText(v):
		m.reasoned = m.reasoned || known
		m.add(rawName, v, streamed)
	default:
		m.thought = v
	}
}

// setContent takes a content, which clients want to be a text. Parts are
// joined, and kept beside it if there are others than text.
func (m *message) setContent(v jsontext.Value) {
	m.made = !isNull(v) && !isText(v)
	if !m.made || v[0] != '[' {
		m.content = asText(v)
		return
	}
	joined, thought, all := joinParts(v)
	m.content = appendQuoted(nil, joined)
	if len(thought) > 0 {
		m.thought = appendQuoted(nil, thought)
	}
	if !all {
		m.extra = appendMember(m.extra, []byte(`"content_parts"`), v)
		m.says = true
	}
}

// asText is v if it is a text or null, and else the text of it.
func asText(v jsontext.Value) jsontext.Value {
	if isNull(v) || isText(v) {
		return v
	}
	return appendQuoted(nil, v)
}

// add takes a member that we do not interpret.
func (m *message) add(rawName, v []byte, streamed bool) {
	if isBlank(v) && streamed {
		return
	}
	m.extra = appendMember(m.extra, rawName, v)
	m.says = m.says || !isBlank(v)
	m.text += textLen(v)
}

// appendExtra reads a value and appends it as a member.
func (s *scanner) appendExtra(dst, rawName []byte) []byte {
	return appendMember(dst, rawName, s.value())
}

// appendMember appends a member with the comma before it.
func appendMember(dst, rawName, v []byte) []byte {
	dst = append(dst, ',')
	dst = append(dst, rawName...)
	dst = append(dst, ':')
	return append(dst, v...)
}

// extend adds an element whose buffers, if it has been used before, are kept.
func extend[T any](s []T) ([]T, *T) {
	if len(s) < cap(s) {
		s = s[:len(s)+1]
	} else {
		var zero T
		s = append(s, zero)
	}
	return s, &s[len(s)-1]
}
