package openairesponses

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// outputItem holds the members of an output item, as raw JSON. Items of other types, such as
// those of the upstream's built-in tools, have no form in a chat and are ignored.
type outputItem struct {
	kind, id, callID, name, arguments, input []byte
	content, summary, encrypted              []byte
}

// These are the types of items that have a form in a chat.
const (
	itemMessage      = "message"
	itemReasoning    = "reasoning"
	itemFunctionCall = "function_call"
	itemCustomCall   = "custom_tool_call"
)

func parseItem(raw []byte) (item outputItem) {
	readObject(raw, nil, field{"type", &item.kind}, field{"id", &item.id}, field{"call_id", &item.callID},
		field{"name", &item.name}, field{"arguments", &item.arguments}, field{"input", &item.input},
		field{"content", &item.content}, field{"summary", &item.summary}, field{"encrypted_content", &item.encrypted})
	return item
}

func (item *outputItem) isCall() bool {
	kind := stringValue(item.kind)
	return kind == itemFunctionCall || kind == itemCustomCall
}

// reasoningText appends the readable reasoning of an item to a JSON string without a closing
// quote. Paragraphs separate the parts.
func (item *outputItem) reasoningText(dst []byte) []byte {
	for _, list := range [][]byte{item.summary, item.content} {
		for part := range jsonscan.Elements(list) {
			if text := jsonscan.Member(part, "text"); hasText(text) {
				dst = appendText(dst, text, paragraph)
			}
		}
	}
	return dst
}

// appendCall appends the members of a tool call, each with a trailing comma. arguments replaces
// the arguments of the item.
func (item *outputItem) appendCall(dst, arguments []byte) []byte {
	if hasText(item.callID) {
		dst = appendMember(dst, "id", item.callID)
	}
	member, value := "function", "arguments"
	if stringValue(item.kind) == itemCustomCall {
		member, value = "custom", "input"
	}
	dst = append(dst, `"type":"`+member+`","`+member+`":{`...)
	if hasText(item.name) {
		dst = appendMember(dst, "name", item.name)
	}
	return closeWith(appendMember(dst, value, arguments), "},")
}

// callArguments returns the arguments or the input of a call, as a JSON string.
func (item *outputItem) callArguments() []byte {
	if stringValue(item.kind) == itemCustomCall {
		return stringOrEmpty(item.input)
	}
	if !hasText(item.arguments) {
		return []byte(`"{}"`)
	}
	return item.arguments
}

// appendAnnotation appends a citation in the format of a chat, with a trailing comma. Chats
// have no other annotations.
func appendAnnotation(dst, annotation []byte) []byte {
	var kind, url, title, start, end []byte
	readObject(annotation, nil, field{"type", &kind}, field{"url", &url}, field{"title", &title},
		field{"start_index", &start}, field{"end_index", &end})
	if stringValue(kind) != "url_citation" {
		return dst
	}
	dst = append(dst, `{"type":"url_citation","url_citation":{`...)
	dst = appendMember(appendMember(dst, "start_index", start), "end_index", end)
	return closeWith(appendMember(appendMember(dst, "url", url), "title", title), "}},")
}

// finishReason returns the finish reason of a chat, as a JSON string.
func finishReason(response *responseObject, hasCalls bool) string {
	switch {
	case stringValue(response.status) == "incomplete":
		if stringValue(jsonscan.Member(response.incomplete, "reason")) == "content_filter" {
			return `"content_filter"`
		}
		return `"length"`
	case hasCalls:
		return `"tool_calls"`
	}
	return `"stop"`
}
