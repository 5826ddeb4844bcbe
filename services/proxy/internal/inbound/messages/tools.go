package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// addTools translates the client's tools into functions. It drops the tools that Anthropic
// runs, because no other vendor has them.
func (t *requestTranslator) addTools(v []byte) {
	for raw := range jsonscan.Elements(v) {
		kind := stringValue(jsonscan.Member(raw, "type"))
		if kind == "" || kind == "custom" {
			t.addTool(raw)
			continue
		}
		name := stringValue(jsonscan.Member(raw, "name"))
		if name == "" {
			name = kind
		}
		t.reportDropped("tools[" + name + "]")
	}
}

func (t *requestTranslator) addTool(raw []byte) {
	var name, description, schema, strict, cache []byte
	for member, v := range jsonscan.Members(raw) {
		switch string(member) {
		case "type":
		case "name":
			name = v
		case "description":
			description = v
		case "input_schema":
			schema = v
		case "strict":
			strict = v
		case "cache_control":
			cache = v
		default:
			if !isEmpty(v) {
				t.reportDropped("tools[]." + string(member))
			}
		}
	}
	dst := append(t.tools, `{"type":"function","function":{`...)
	dst = appendMember(dst, "name", t.responder.names.toChat(name))
	dst = appendMember(dst, "description", description)
	dst = appendMember(dst, "parameters", schema)
	if isTrue(strict) {
		dst = append(dst, `"strict":true,`...)
	}
	dst = closeWith(dst, "},")
	t.tools = closeWith(appendMember(dst, "cache_control", cache), "},")
}

// appendTools appends the tools, and the choice among them. Vendors reject a choice without
// tools.
func (t *requestTranslator) appendTools(dst []byte) []byte {
	if len(t.tools) == 0 {
		if t.toolChoice != nil {
			t.reportDropped("tool_choice")
		}
		return dst
	}
	dst = appendArray(dst, "tools", t.tools)
	switch stringValue(jsonscan.Member(t.toolChoice, "type")) {
	case "auto":
		dst = append(dst, `"tool_choice":"auto",`...)
	case "none":
		dst = append(dst, `"tool_choice":"none",`...)
	case "any":
		dst = append(dst, `"tool_choice":"required",`...)
	case "tool":
		name := t.responder.names.toChat(jsonscan.Member(t.toolChoice, "name"))
		dst = append(dst, `"tool_choice":{"type":"function","function":{`...)
		dst = closeWith(appendMember(dst, "name", name), "}},")
	}
	if isTrue(jsonscan.Member(t.toolChoice, "disable_parallel_tool_use")) {
		dst = append(dst, `"parallel_tool_calls":false,`...)
	}
	return dst
}
