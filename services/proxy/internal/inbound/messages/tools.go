package messages

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"

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

// maxToolName is the longest name of a function in a chat. Names in Messages can be longer.
const maxToolName = 64

// toolNames shortens the names of tools, and restores them. A shortened name ends with a
// hash of the original name, so that a tool has the same name in every request.
type toolNames map[string]string

// toChat returns the name for the chat. Both names are JSON strings.
func (n *toolNames) toChat(v []byte) []byte {
	name := jsonscan.DecodeString(v)
	if len(name) <= maxToolName {
		return v
	}
	h := fnv.New32a()
	_, _ = h.Write(name)
	suffix := fmt.Sprintf("_%08x", h.Sum32())
	short := string(name[:maxToolName-len(suffix)]) + suffix
	if *n == nil {
		*n = toolNames{}
	}
	(*n)[short] = string(name)
	return jsonscan.AppendQuoted(nil, short)
}

// toClient returns the client's name. Both names are JSON strings.
func (n toolNames) toClient(v []byte) []byte {
	if len(n) == 0 {
		return v
	}
	if original, ok := n[stringValue(v)]; ok {
		return jsonscan.AppendQuoted(nil, original)
	}
	return v
}

// encodedIDPrefix starts the ids of tool calls that toClientID encoded.
const encodedIDPrefix = "sbx1_"

// toClientID returns the id of a tool call for the client, as a JSON string. Anthropic
// accepts only letters, digits, "_" and "-", so an id with other characters is encoded.
func toClientID(v []byte) []byte {
	id := jsonscan.DecodeString(v)
	if isPlainID(id) && !bytes.HasPrefix(id, []byte(encodedIDPrefix)) {
		return v
	}
	return append(base64.RawURLEncoding.AppendEncode([]byte(`"`+encodedIDPrefix), id), '"')
}

// toChatID reverses toClientID. It returns other ids unchanged.
func toChatID(v []byte) []byte {
	encoded, ok := bytes.CutPrefix(inner(v), []byte(encodedIDPrefix))
	if !ok {
		return v
	}
	id, err := base64.RawURLEncoding.DecodeString(string(encoded))
	if err != nil {
		return v
	}
	return jsonscan.AppendQuoted(nil, id)
}

func isPlainID(id []byte) bool {
	for _, c := range id {
		if c-'0' > 9 && c|0x20-'a' > 25 && c != '_' && c != '-' {
			return false
		}
	}
	return len(id) > 0
}
