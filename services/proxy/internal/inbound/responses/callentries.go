package responses

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// callEntryType is the type of an entry that is not reasoning: it holds the members of a tool
// call that this protocol has no form for.
const callEntryType = "signalbox.call"

// appendCallEntry appends the entry for the extra members of a call, with a trailing comma. It
// appends nothing if the id of the call already contains them.
func appendCallEntry(dst []byte, callID jsontext.Value, extra []byte) []byte {
	if len(extra) == 0 || bytes.Contains(callID, []byte(requestbody.SignatureSeparator)) {
		return dst
	}
	entry := appendMember([]byte(`{"type":"`+callEntryType+`"`), "call_id", callID)
	entry = append(append(entry, `,"members":{`...), extra[1:]...)
	return appendDetails(dst, appendList(nil, append(entry, "}}"...)))
}

// splitCallEntries separates the entries for calls from the reasoning details. The result
// maps call ids to members, with a comma before each.
func splitCallEntries(entries []byte) (details []byte, extras map[string][]byte) {
	for entry := range jsonscan.Elements(appendList(nil, entries)) {
		var kind, id, members jsontext.Value
		readFields(entry, nil, field{"type", &kind}, field{"call_id", &id}, field{"members", &members})
		if jsonscan.DecodeText(kind) != callEntryType {
			details = append(append(details, entry...), ',')
			continue
		}
		if extras == nil {
			extras = map[string][]byte{}
		}
		extras[jsonscan.DecodeText(id)] = callMembers(members)
	}
	return details, extras
}

// callMembers returns the members of an object, except those that every call has.
func callMembers(object jsontext.Value) (members []byte) {
	for name, v := range jsonscan.Members(object) {
		switch string(name) {
		case "id", "type", "function", "index":
		default:
			members = jsonscan.AppendMember(members, jsonscan.AppendQuoted(nil, name), v)
		}
	}
	return members
}
