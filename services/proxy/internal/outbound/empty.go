package outbound

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// isEmptyOrOrphan reports whether a member has no meaning, because it is empty or because it
// refers to tools or functions that the request does not have. Frameworks send such members
// when a list of tools becomes empty.
func (e *bodyEditor) isEmptyOrOrphan(name []byte, v jsontext.Value) bool {
	switch string(name) {
	case "tools", "functions", "stop":
		return isEmptyList(v)
	case "tool_choice", "parallel_tool_calls":
		return jsonscan.IsNull(v) || !e.hasItems("tools")
	case "function_call":
		return jsonscan.IsNull(v) || !e.hasItems("functions")
	}
	return false
}

// hasItems reports whether the request has a member of that name that is not empty.
func (e *bodyEditor) hasItems(name string) bool {
	m := e.req.FindMember(name)
	return m != nil && !isEmptyList(e.req.MemberValue(m))
}

// isEmptyList reports whether v is null, an empty string or an empty list.
func isEmptyList(v jsontext.Value) bool {
	return jsonscan.IsEmptyOrFalse(v) || v[0] == '[' && len(bytes.TrimSpace(v[1:len(v)-1])) == 0
}
