package responses

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// appendMember appends a comma and a member, unless the value is absent.
func appendMember(dst []byte, name string, v jsontext.Value) []byte {
	if len(v) == 0 {
		return dst
	}
	return append(appendName(dst, name), v...)
}

// appendMemberOr appends a comma and a member. The default replaces an absent value.
func appendMemberOr(dst []byte, name string, v jsontext.Value, byDefault string) []byte {
	dst = appendName(dst, name)
	if len(v) == 0 {
		return append(dst, byDefault...)
	}
	return append(dst, v...)
}

// appendName appends a comma and the name of a member. The name needs no escapes.
func appendName(dst []byte, name string) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	return append(dst, `":`...)
}

func appendTextMember(dst []byte, name, text string) []byte {
	return jsonscan.AppendQuoted(appendName(dst, name), text)
}

func appendNumberMember(dst []byte, name string, n int64) []byte {
	return strconv.AppendInt(appendName(dst, name), n, 10)
}

// appendEscaped appends a text that is already escaped, with quotes around it.
func appendEscaped(dst, escaped []byte) []byte {
	return append(append(append(dst, '"'), escaped...), '"')
}

// appendList appends the elements of an array, each of which has a trailing comma.
func appendList(dst, elements []byte) []byte {
	dst = append(dst, '[')
	return append(append(dst, bytes.TrimSuffix(elements, []byte{','})...), ']')
}

// escapedText returns the content of a JSON string, still escaped. It returns nil for any
// other value.
func escapedText(v jsontext.Value) []byte {
	if !jsonscan.IsString(v) {
		return nil
	}
	return v[1 : len(v)-1]
}

// hasText reports whether v is a non-empty string.
func hasText(v jsontext.Value) bool { return jsonscan.IsString(v) && len(v) > 2 }

func isObject(v jsontext.Value) bool { return len(v) > 0 && v[0] == '{' }

func isArray(v jsontext.Value) bool { return len(v) > 0 && v[0] == '[' }

// field is where the value of a member is stored.
type field struct {
	name string
	dst  *jsontext.Value
}

// readFields stores the members of an object, except null. It calls other, unless it is
// nil, for each member that is not listed and not empty.
func readFields(object jsontext.Value, other func(name string), fields ...field) {
	for name, v := range jsonscan.Members(object) {
		known := false
		for i := range fields {
			if fields[i].name == string(name) {
				known = true
				if !jsonscan.IsNull(v) {
					*fields[i].dst = v
				}
				break
			}
		}
		if !known && other != nil && !jsonscan.IsEmptyOrFalse(v) {
			other(string(name))
		}
	}
}
