package normalize

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// chunk is one parsed chunk of a stream or a complete response. A complete response
// has "message" where a chunk has "delta". The values are slices of the source text.
// The buffers are reused.
type chunk struct {
	jsonscan.Reader
	choices []choice
	usage   usagereport.Report
	// isError is set if the payload is an error instead of a response. hasChoices is
	// set if it has a member "choices". hasErrorText is set if it has a member that
	// usually contains an error text. A payload with such a member is an error if it
	// has no choices and no usage.
	isError, hasChoices, hasErrorText bool
	// choiceError is an error object inside a choice.
	choiceError jsontext.Value
	// serviceTier is the tier that served the request.
	serviceTier jsontext.Value
	// isStreamed is set for chunks of a stream, where null values carry no
	// information.
	isStreamed bool
	// extra holds the members that we do not interpret, with a comma before each.
	// hasVendorMember is set if one of them is specific to the vendor.
	extra           []byte
	hasVendorMember bool
}

// choice is one entry of choices.
type choice struct {
	// index is invalidIndex if the upstream's index is out of range.
	index        int
	finishReason jsontext.Value
	message      message
	extra        []byte
	// hasLogprobs is set if extra contains logprobs.
	hasLogprobs bool
}

// message is the delta or message of a choice.
type message struct {
	// nameInitial is 'd' for a delta and 'm' for a message. It is 0 if the choice has
	// neither.
	nameInitial            byte
	role, content, refusal jsontext.Value
	calls                  []toolCall
	extra                  []byte
	// hasContent is set if there is more than a role. hasFunctionCall is set if the
	// message has function_call, the predecessor of tool_calls.
	hasContent, hasFunctionCall bool
	// reasoning is reasoning text from a member other than reasoning_content.
	// hasReasoningContent is set if the message also has reasoning_content.
	reasoning           jsontext.Value
	hasReasoningContent bool
	// contentConverted is set if content was converted to a string, and so is not a
	// slice of the source text.
	contentConverted bool
	// textBytes is the approximate length of the model's output.
	textBytes int
}

// toolCall is one entry of tool_calls. In a stream it may be a fragment of a call.
type toolCall struct {
	index                int
	id, kind, name, args jsontext.Value
	// hasFunction is false for a custom tool.
	hasFunction bool
	// extra and functionExtra hold the other members of the call and of its function.
	extra, functionExtra []byte
}

// beginObject resets the chunk and enters the upstream's JSON object.
func (c *chunk) beginObject(payload []byte) {
	if !utf8.Valid(payload) {
		payload = bytes.ToValidUTF8(payload, []byte("\ufffd"))
	}
	c.ResetLimited(payload, true)
	c.choices, c.extra = c.choices[:0], c.extra[:0]
	c.usage.Reset()
	c.isError, c.hasChoices, c.hasErrorText, c.hasVendorMember = false, false, false, false
	c.choiceError, c.serviceTier = nil, nil
	if !c.Enter(jsonscan.BeginObject) {
		c.SetError(upstreamerror.InvalidResponse("not a JSON object"))
	}
}

// parse reads an upstream's JSON. It returns PROVIDER_INVALID_RESPONSE if it fails.
func (c *chunk) parse(payload []byte) error {
	c.beginObject(payload)
	for c.NextMember() {
		c.readTopMember()
	}
	if err := c.CheckEnd(); err != nil {
		return toResponseError(err)
	}
	c.isError = c.isError || c.hasErrorText && !c.hasChoices && !c.usage.IsReported()
	c.usage.SetServiceTier(c.serviceTier)
	return nil
}

func (c *chunk) readTopMember() {
	switch string(c.Name()) {
	case "id", "created", "model":
		c.Value()
	case "object":
		c.isError = string(c.Value()) == `"error"` || c.isError
	case "choices":
		c.hasChoices = true
		c.readChoices()
	case "usage":
		c.usage.ReadFrom(&c.Reader)
	case "x_groq":
		c.readNestedUsage(c.readVendorMember())
	case "error":
		c.isError = !jsonscan.IsEmptyOrFalse(c.Value()) || c.isError
	case "system_fingerprint":
		c.extra = c.appendNextValue(c.extra, c.RawName())
	case "service_tier":
		rawName := c.RawName()
		c.serviceTier = c.Value()
		c.extra = jsonscan.AppendMember(c.extra, rawName, c.serviceTier)
	case "message", "msg", "detail", "error_message", "errors":
		c.hasErrorText = true
		c.readVendorMember()
	default:
		c.readVendorMember()
	}
}

// errorBody returns the JSON that describes the error: the error object of a choice,
// or else the whole payload.
func (c *chunk) errorBody(text []byte) []byte {
	if len(c.choiceError) > 0 {
		return c.choiceError
	}
	return text
}

// readVendorMember stores a vendor-specific member and returns its value.
func (c *chunk) readVendorMember() jsontext.Value {
	c.hasVendorMember = true
	rawName := c.RawName()
	v := c.Value()
	c.extra = jsonscan.AppendMember(c.extra, rawName, v)
	return v
}

// readNestedUsage reads a usage object inside a vendor's own member.
func (c *chunk) readNestedUsage(v jsontext.Value) {
	if c.usage.IsReported() || v.Kind() != jsontext.KindBeginObject {
		return
	}
	var s jsonscan.Reader
	s.ResetLimited(v, true)
	s.Enter(jsonscan.BeginObject)
	for s.NextMember() {
		if string(s.Name()) == "usage" {
			c.usage.ReadFrom(&s)
			continue
		}
		s.Value()
	}
}

func (c *chunk) readChoices() {
	if !c.Enter(jsonscan.BeginArray) {
		if !jsonscan.IsNull(c.Value()) {
			c.SetError(upstreamerror.InvalidResponse("choices is not an array"))
		}
		return
	}
	c.choices = c.choices[:0]
	for c.NextElement() {
		var ch *choice
		c.choices, ch = extendReusing(c.choices)
		*ch = choice{index: len(c.choices) - 1, extra: ch.extra[:0], message: ch.message.cleared()}
		c.readChoice(ch)
		if len(c.choices) > requestbody.MaxChoices {
			c.SetError(upstreamerror.InvalidResponse("too many choices"))
		}
	}
}

func (c *chunk) readChoice(ch *choice) {
	if !c.Enter(jsonscan.BeginObject) {
		c.SetError(upstreamerror.InvalidResponse("a choice is not an object"))
	}
	for c.NextMember() {
		switch string(c.Name()) {
		case "index":
			if n, ok := jsonscan.ParseInteger(c.Value()); ok {
				ch.index = int(n)
			}
		case "finish_reason":
			ch.finishReason = c.Value()
		case "delta", "message":
			c.readMessage(&ch.message, c.Name()[0])
		case "usage":
			if !c.usage.IsReported() {
				c.usage.ReadFrom(&c.Reader)
			} else {
				c.Value()
			}
		case "error":
			if v := c.Value(); !jsonscan.IsEmptyOrFalse(v) {
				c.isError, c.choiceError = true, v
			}
		default:
			ch.hasLogprobs = ch.hasLogprobs || string(c.Name()) == "logprobs"
			ch.extra = c.appendNextValue(ch.extra, c.RawName())
		}
	}
	if ch.index < 0 || ch.index >= requestbody.MaxChoices {
		ch.index = invalidIndex
	}
}

// cleared returns an empty message that reuses the buffers of m.
func (m *message) cleared() message {
	return message{calls: m.calls[:0], extra: m.extra[:0]}
}

// readMessage reads a delta or a message. nameInitial is the first letter of the member's
// name. If a choice has both members, the first one counts.
func (c *chunk) readMessage(m *message, nameInitial byte) {
	if m.nameInitial != 0 && m.nameInitial != nameInitial || !c.Enter(jsonscan.BeginObject) {
		c.Value()
		return
	}
	*m = m.cleared()
	m.nameInitial = nameInitial
	for c.NextMember() {
		switch string(c.Name()) {
		case "role":
			m.role = c.Value()
		case "content":
			m.setContent(c.Value())
		case "refusal":
			m.refusal = toStringValue(c.Value())
		case "tool_calls":
			c.readToolCalls(m)
		case "function_call":
			c.readFunctionCall(m)
		case "reasoning", "reasoning_content":
			rawName := c.RawName()
			m.setReasoning(rawName, c.Value(), c.isStreamed)
		default:
			m.addMember(c.RawName(), c.Value(), c.isStreamed)
		}
	}
	if len(m.reasoning) > 0 && !m.hasReasoningContent {
		m.addMember([]byte(`"reasoning_content"`), m.reasoning, c.isStreamed)
	}
	if c.isStreamed && jsonscan.IsNull(m.content) {
		m.content = nil
	}
	if c.isStreamed && jsonscan.IsNull(m.refusal) {
		m.refusal = nil
	}
	m.textBytes += jsonscan.DecodedLen(m.content) + jsonscan.DecodedLen(m.refusal)
	m.hasContent = m.hasContent || len(m.calls) > 0 || !jsonscan.IsBlank(m.content) || !jsonscan.IsBlank(m.refusal)
}

// setReasoning stores reasoning text. Some upstreams call it "reasoning". Others call it
// "reasoning_content", which is the name that clients expect. Some upstreams send both.
// A value that is not a string is passed on unchanged.
func (m *message) setReasoning(rawName []byte, v jsontext.Value, streamed bool) {
	known := string(rawName) == `"reasoning_content"`
	switch {
	case jsonscan.IsBlank(v):
		if len(m.reasoning) == 0 {
			m.reasoning = v
		}
	case known || !jsonscan.IsString(v):
		m.hasReasoningContent = m.hasReasoningContent || known
		m.addMember(rawName, v, streamed)
	default:
		m.reasoning = v
	}
}

// setContent stores the content. Clients expect a string, so the texts of parts are
// joined. If there are parts other than text, all parts are also passed on as
// content_parts.
func (m *message) setContent(v jsontext.Value) {
	m.contentConverted = !jsonscan.IsNull(v) && !jsonscan.IsString(v)
	if !m.contentConverted || v[0] != '[' {
		m.content = toStringValue(v)
		return
	}
	joined, reasoning, onlyText := requestbody.JoinTextParts(v)
	m.content = jsonscan.AppendQuoted(nil, joined)
	if len(reasoning) > 0 {
		m.reasoning = jsonscan.AppendQuoted(nil, reasoning)
	}
	if !onlyText {
		m.extra = jsonscan.AppendMember(m.extra, []byte(`"content_parts"`), v)
		m.hasContent = true
	}
}

// toStringValue returns v if v is a string or null. Otherwise it returns the JSON of
// v as a string.
func toStringValue(v jsontext.Value) jsontext.Value {
	if jsonscan.IsNull(v) || jsonscan.IsString(v) {
		return v
	}
	return jsonscan.AppendQuoted(nil, v)
}

// addMember stores a member that we do not interpret.
func (m *message) addMember(rawName, v []byte, streamed bool) {
	if jsonscan.IsBlank(v) && streamed {
		return
	}
	m.extra = jsonscan.AppendMember(m.extra, rawName, v)
	m.hasContent = m.hasContent || !jsonscan.IsBlank(v)
	m.textBytes += jsonscan.DecodedLen(v)
}

// appendNextValue reads the next value and appends it as a member.
func (c *chunk) appendNextValue(dst, rawName []byte) []byte {
	return jsonscan.AppendMember(dst, rawName, c.Value())
}

// extendReusing adds an element to s. If s has capacity, the element is an old one. The
// caller can reuse its buffers and must reset its other values.
func extendReusing[T any](s []T) ([]T, *T) {
	if len(s) < cap(s) {
		s = s[:len(s)+1]
	} else {
		var zero T
		s = append(s, zero)
	}
	return s, &s[len(s)-1]
}
