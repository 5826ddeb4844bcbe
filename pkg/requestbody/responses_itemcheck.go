package requestbody

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// ResponsesStateMarker starts the encrypted_content that the gateway itself hands out in
// reasoning items. Encrypted content without the marker comes from a vendor, and only this
// vendor can read it.
const ResponsesStateMarker = "sbx1."

// checkItem checks an item of a known type. An item of another type is left to upstreams of
// this protocol.
func (q *responsesParser) checkItem(item *responsesItem, textBytes int) {
	kind := item.typeName()
	switch string(kind) {
	case "message":
		q.checkMessageItem(item, textBytes)
	case "function_call":
		q.beginAssistantItem()
		q.checkCallItem(item, item.arguments, ".arguments")
	case "custom_tool_call":
		q.beginAssistantItem()
		q.checkCallItem(item, item.input, ".input")
	case "function_call_output", "custom_tool_call_output":
		q.beginItem()
		q.addToolResult()
		q.checkOutputItem(item)
	case "reasoning":
		q.beginAssistantItem()
		q.checkReasoningItem(item)
	case "item_reference":
		q.beginItem()
		q.requireNative(true, nativeItemReference)
	case "":
		q.failItem(".type", "must be a non-empty string")
	default:
		q.beginItem()
		q.checkNativeItem(item, string(kind))
	}
}

// typeName returns the type of the item. Messages and references may lack it.
func (item *responsesItem) typeName() []byte {
	switch {
	case !jsonscan.IsNull(item.kind):
		return jsonscan.DecodeString(item.kind)
	case !jsonscan.IsNull(item.role):
		return messageType
	case jsonscan.IsString(item.id):
		return referenceType
	}
	return nil
}

// messageType and referenceType are the types of items that may lack a type.
var messageType, referenceType = []byte("message"), []byte("item_reference")

func (q *responsesParser) beginItem() {
	q.inAssistantTurn = false
	q.counts.messages++
}

// beginAssistantItem counts one message for all adjacent items of the assistant.
func (q *responsesParser) beginAssistantItem() {
	q.addModelMessage()
	if !q.inAssistantTurn {
		q.counts.messages++
	}
	q.inAssistantTurn = true
}

func (q *responsesParser) checkMessageItem(item *responsesItem, textBytes int) {
	switch string(item.role) {
	case `"assistant"`:
		q.beginAssistantItem()
	case `"user"`:
		q.beginItem()
		q.addUserMessage(item.content.at, textBytes)
	case `"system"`, `"developer"`:
		q.beginItem()
		q.req.Traits |= HasSystem | HasDeveloper
	default:
		q.failItem(".role", `must be "user", "assistant", "system" or "developer"`)
	}
	if item.content.kind == jsonscan.Invalid {
		q.failItem(".content", "is missing")
	}
	q.checkContent(&item.content)
}

func (q *responsesParser) checkCallItem(item *responsesItem, payload jsontext.Value, member string) {
	q.req.Traits |= HasToolCalls
	if !hasText(item.name) {
		q.failItem(".name", "must be a non-empty string")
	}
	if !jsonscan.IsString(payload) {
		q.failItem(member, "must be a string")
	}
	if !hasText(item.callID) {
		q.failItem(".call_id", "must be a non-empty string")
		return
	}
	q.calls.add(item.callID)
}

func (q *responsesParser) checkOutputItem(item *responsesItem) {
	if item.output.kind == jsonscan.Invalid {
		q.failItem(".output", "is missing")
	}
	q.checkContent(&item.output)
	if !hasText(item.callID) {
		q.failItem(".call_id", "must be a non-empty string")
		return
	}
	q.calls.checkOutput(item.callID, q.items)
}

func (q *responsesParser) checkReasoningItem(item *responsesItem) {
	q.checkContent(&item.content)
	q.checkContent(&item.summary)
	switch {
	case jsonscan.IsNull(item.encrypted):
	case !jsonscan.IsString(item.encrypted):
		q.failItem(".encrypted_content", "must be a string or null")
	case IsResponsesState(item.encrypted):
		q.req.HasGatewayState = true
	default:
		q.requireNative(len(item.encrypted) > 2, nativeEncrypted)
	}
}

// IsResponsesState reports whether encrypted_content was handed out by the gateway.
func IsResponsesState(v jsontext.Value) bool {
	return jsonscan.IsString(v) && bytes.HasPrefix(v[1:], []byte(ResponsesStateMarker))
}

// checkNativeItem handles an item that chat completions cannot express: a call of a built-in
// tool, its output, or an item of an unknown type.
func (q *responsesParser) checkNativeItem(item *responsesItem, kind string) {
	q.forbidReferences(q.Source()[item.at.from:item.at.to])
	switch {
	case strings.HasSuffix(kind, "_call"):
		q.addModelMessage()
	case strings.HasSuffix(kind, "_call_output"):
		q.addToolResult()
	}
	switch {
	case strings.HasSuffix(kind, "_call"), strings.HasSuffix(kind, "_call_output"), strings.HasPrefix(kind, "mcp_"):
		q.requireNative(true, nativeServerTool)
	case hasText(item.encrypted):
		q.req.hasEncryptedHistory = true
		q.requireNative(true, nativeEncrypted)
	default:
		q.requireNative(true, nativeItemType)
	}
}

// hasText reports whether v is a non-empty string.
func hasText(v jsontext.Value) bool { return jsonscan.IsString(v) && len(v) > 2 }

func (q *responsesParser) failItem(member, text string) {
	q.SetError(errInvalidParam("input["+strconv.Itoa(q.items)+"]"+member, text))
}
