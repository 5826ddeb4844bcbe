package responses

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// inputItem is one item of the input, as raw JSON.
type inputItem struct {
	kind, role, content, callID, name, namespace jsontext.Value
	arguments, input, output, summary, encrypted jsontext.Value
}

// readMessages translates the instructions and the input.
func (t *requestTranslator) readMessages() error {
	if t.fields.instructions != nil {
		t.addMessage("system", t.fields.instructions)
	}
	if jsonscan.IsString(t.fields.input) {
		t.addMessage("user", t.fields.input)
		return nil
	}
	for raw := range jsonscan.Elements(t.fields.input) {
		if err := t.addItem(raw); err != nil {
			return err
		}
		t.item++
	}
	t.endTurn()
	t.flushWaiting()
	return nil
}

// addMessage adds a message of the chat. content is a JSON string or an array of parts.
func (t *requestTranslator) addMessage(role string, content []byte) {
	t.endTurn()
	to := &t.messages
	if len(t.waiting.calls) > 0 {
		to = &t.waiting.messages
	}
	dst := append(append(*to, `{"role":"`...), role...)
	dst = append(append(dst, `","content":`...), content...)
	*to = append(dst, "},"...)
}

func (t *requestTranslator) parseItem(raw jsontext.Value) inputItem {
	var item inputItem
	var id, status jsontext.Value // they identify output of the vendor and carry no content
	readFields(raw, func(name string) { t.reportDropped("input[]." + name) },
		field{"type", &item.kind}, field{"role", &item.role}, field{"content", &item.content},
		field{"call_id", &item.callID}, field{"name", &item.name}, field{"namespace", &item.namespace},
		field{"arguments", &item.arguments}, field{"input", &item.input}, field{"output", &item.output},
		field{"summary", &item.summary}, field{"encrypted_content", &item.encrypted},
		field{"id", &id}, field{"status", &status})
	if item.kind == nil && item.role != nil {
		item.kind = []byte(`"message"`)
	}
	return item
}

func (t *requestTranslator) addItem(raw jsontext.Value) error {
	item := t.parseItem(raw)
	switch jsonscan.DecodeText(item.kind) {
	case "message":
		return t.addMessageItem(&item)
	case "function_call":
		t.addCallItem(&item, item.arguments)
	case "custom_tool_call":
		t.addCallItem(&item, customArguments(item.input))
	case "function_call_output", "custom_tool_call_output":
		return t.addOutputItem(&item)
	case "reasoning":
		return t.addReasoningItem(&item)
	default:
		return unsupportedError(t.path(""), "only a provider of the Responses protocol can read items of this type")
	}
	return nil
}

// path returns the path of a member of the current item.
func (t *requestTranslator) path(member string) string {
	return "input[" + strconv.Itoa(t.item) + "]" + member
}

func (t *requestTranslator) addMessageItem(item *inputItem) error {
	role := jsonscan.DecodeText(item.role)
	var content contentBuilder
	builder := &content
	if role == "assistant" {
		t.continueTurn(true)
		builder = &t.turn.content
	}
	if err := t.addContent(builder, item.content, ".content"); err != nil {
		return err
	}
	if role != "assistant" {
		t.addMessage(role, content.appendRequired(nil))
	}
	return nil
}

func (t *requestTranslator) addCallItem(item *inputItem, arguments []byte) {
	t.continueTurn(false)
	key := toolKey{jsonscan.DecodeText(item.namespace), jsonscan.DecodeText(item.name)}
	t.turn.calls = append(t.turn.calls, turnCall{id: item.callID, name: t.names.chatName(key), arguments: arguments})
}

func (t *requestTranslator) addOutputItem(item *inputItem) error {
	t.endTurn()
	var content contentBuilder
	if err := t.addContent(&content, item.output, ".output"); err != nil {
		return err
	}
	dst := append(append(t.messages, `{"role":"tool","tool_call_id":`...), item.callID...)
	dst = content.appendRequired(append(dst, `,"content":`...))
	t.messages = append(dst, "},"...)
	t.endCall(item)
	return nil
}

// addReasoningItem restores the reasoning that the gateway handed out: the readable text and
// the entries of reasoning_details.
func (t *requestTranslator) addReasoningItem(item *inputItem) error {
	var details []byte
	switch isOwn := requestbody.IsResponsesState(item.encrypted); {
	case !hasText(item.encrypted):
	case !isOwn && t.isNativeOnly:
		return unsupportedError(t.path(".encrypted_content"), "only the provider that encrypted the reasoning can read it")
	case !isOwn:
		t.reportDropped("input[].encrypted_content")
	default:
		var err error
		if details, err = decodeState(item.encrypted, t.path(".encrypted_content")); err != nil {
			return err
		}
	}
	text := joinTexts(item.content)
	if len(text) == 0 {
		text = joinTexts(item.summary)
	}
	t.turn.addReasoning(text, details)
	return nil
}

// joinTexts returns the texts of an array of parts as one escaped text.
func joinTexts(parts jsontext.Value) (joined []byte) {
	for part := range jsonscan.Elements(parts) {
		joined = joinReasoning(joined, escapedText(jsonscan.Member(part, "text")))
	}
	return joined
}
