package messages

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// requestTranslator translates one request into a chat.
type requestTranslator struct {
	request *requestbody.Request
	// system holds the system message, which comes first. messages holds the other chat
	// messages.
	system, messages []byte
	assistant        assistantTurn
	// awaitsResults is set after tool calls, until their results come. Meanwhile heldSystem
	// holds system messages, because in a chat the results must come directly after the calls.
	awaitsResults bool
	heldSystem    []byte
	// content and result are the builders for the parts of a message and of a tool result.
	content, result contentBuilder
	// index is the position of the current message.
	index int

	tools, toolChoice []byte
	// effort and thinking are raw values of the client. messageEffort is the effort that the
	// last system message inside the conversation sets.
	effort, thinking, messageEffort []byte
	// options holds the members of the chat that need no other member.
	options []byte

	responder responder
	dropped   provider.DroppedFields
	err       error
}

func newRequestTranslator(r *requestbody.Request) *requestTranslator {
	return &requestTranslator{request: r, messages: make([]byte, 0, len(r.Body)+len(r.Body)/8+256)}
}

// reportDropped records that a member of the request is not part of the chat.
func (t *requestTranslator) reportDropped(name string) { t.dropped.Add(name) }

func (t *requestTranslator) setError(err error) {
	if t.err == nil {
		t.err = err
	}
}

func (t *requestTranslator) readMember(name string, v []byte) {
	if jsonscan.IsNull(v) {
		return
	}
	switch name {
	case "model", "stream":
	case "messages":
		t.addMessages(v)
	case "system":
		t.setSystem(v)
	case "tools":
		t.addTools(v)
	case "tool_choice":
		t.toolChoice = v
	case "thinking":
		t.thinking = v
		t.responder.setThinking(v)
	case "output_config":
		t.readOutputConfig(v)
	default:
		t.readOption(name, v)
	}
}

// readOption translates a member that needs no other member.
func (t *requestTranslator) readOption(name string, v []byte) {
	switch name {
	case "max_tokens", "temperature", "top_p", "top_k":
		t.options = appendMember(t.options, name, v)
	case "stop_sequences":
		t.setStops(v)
	case "output_format":
		t.setFormat(v)
	case "metadata":
		t.setUser(v)
	case "service_tier":
		if stringValue(v) == "standard_only" {
			t.options = append(t.options, `"service_tier":"default",`...)
		} else if stringValue(v) != "auto" {
			t.reportDropped(name)
		}
	default:
		if !isEmpty(v) {
			t.reportDropped(name)
		}
	}
}

// maxStops is the largest number of stop sequences in a chat.
const maxStops = 16

func (t *requestTranslator) setStops(v []byte) {
	if countElements(v) > maxStops {
		t.setError(unsupportedError("stop_sequences", "this model accepts at most 16 stop sequences"))
	}
	if !isEmpty(v) {
		t.options = appendMember(t.options, "stop", v)
		t.responder.setStops(v)
	}
}

// maxUser is the longest user id that OpenAI accepts, in bytes.
const maxUser = 64

// setUser sets the id of the client's user. Agents send long ids, so a long id is replaced
// by its hash.
func (t *requestTranslator) setUser(metadata []byte) {
	for name, v := range jsonscan.Members(metadata) {
		switch id := jsonscan.DecodeString(v); {
		case string(name) != "user_id" || len(id) == 0:
			if !isEmpty(v) {
				t.reportDropped("metadata." + string(name))
			}
		case len(id) > maxUser:
			sum := sha256.Sum256(id)
			t.options = appendString(t.options, "user", hex.EncodeToString(sum[:]))
			t.reportDropped("metadata.user_id")
		default:
			t.options = appendMember(t.options, "user", v)
		}
	}
}

// buildBody writes the chat. Its members are in a fixed order.
func (t *requestTranslator) buildBody() []byte {
	dst := append(make([]byte, 0, len(t.messages)+len(t.system)+len(t.tools)+512), '{')
	dst = appendString(dst, "model", t.request.Model)
	dst = append(dst, `"messages":[`...)
	dst = append(append(dst, t.system...), t.messages...)
	dst = closeWith(dst, "],")
	dst = append(dst, t.options...)
	dst = t.appendTools(dst)
	if effort := t.resolveEffort(); effort != "" {
		dst = appendString(dst, "reasoning_effort", effort)
	}
	if t.request.Stream {
		dst = append(dst, `"stream":true,"stream_options":{"include_usage":true},`...)
	}
	return closeWith(dst, "}")
}
