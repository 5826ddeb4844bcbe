package messages

import (
	"bytes"
	"strconv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// The functions below write raw JSON, so that values are copied exactly as the client or the
// upstream wrote them. Members and elements are written with a trailing comma, which
// closeWith removes.

func isObject(v []byte) bool { return len(v) > 1 && v[0] == '{' }

func isTrue(v []byte) bool { return string(v) == "true" }

// hasText reports whether v is a non-empty string.
func hasText(v []byte) bool { return jsonscan.IsString(v) && len(v) > 2 }

// isEmpty reports whether v is absent, null, false, or an empty string, object or array.
func isEmpty(v []byte) bool {
	return jsonscan.IsEmptyOrFalse(v) || (v[0] == '{' || v[0] == '[') && len(bytes.TrimSpace(v[1:len(v)-1])) == 0
}

// stringValue returns the text of a JSON string, or "" for any other value.
func stringValue(v []byte) string { return string(jsonscan.DecodeString(v)) }

// inner returns the content of a JSON string, still escaped. It returns nil for any other
// value.
func inner(v []byte) []byte {
	if !jsonscan.IsString(v) {
		return nil
	}
	return v[1 : len(v)-1]
}

// appendMember appends a member, unless v is absent or null.
func appendMember(dst []byte, name string, v []byte) []byte {
	if jsonscan.IsNull(v) {
		return dst
	}
	return append(append(appendName(dst, name), v...), ',')
}

func appendName(dst []byte, name string) []byte {
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, `":`...)
}

func appendString[T ~string | ~[]byte](dst []byte, name string, text T) []byte {
	return append(jsonscan.AppendQuoted(appendName(dst, name), text), ',')
}

func appendNumber(dst []byte, name string, n int64) []byte {
	return append(strconv.AppendInt(appendName(dst, name), n, 10), ',')
}

// appendArray appends a member whose value is an array, unless there are no elements.
func appendArray(dst []byte, name string, elements []byte) []byte {
	if len(elements) == 0 {
		return dst
	}
	dst = append(appendName(dst, name), '[')
	return closeWith(append(dst, elements...), "],")
}

// closeWith removes a trailing comma, if any, and appends end.
func closeWith(dst []byte, end string) []byte {
	return append(bytes.TrimSuffix(dst, []byte{','}), end...)
}

// enters enters the next value of a reader if it has the kind, and skips it otherwise.
func enters(r *jsonscan.Reader, kind jsonscan.Kind) bool {
	if r.Enter(kind) {
		return true
	}
	r.Value()
	return false
}
