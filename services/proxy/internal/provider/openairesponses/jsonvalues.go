package openairesponses

import (
	"bytes"
	"strconv"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// The functions below work on raw JSON values, so that values are copied exactly as the
// client or the upstream wrote them.

func isObject(v []byte) bool { return len(v) > 1 && v[0] == '{' }

func isArray(v []byte) bool { return len(v) > 1 && v[0] == '[' }

// isEmpty reports whether v is absent, null, or an empty string, object or array.
func isEmpty(v []byte) bool {
	return jsonscan.IsNull(v) || string(v) == `""` || (isObject(v) || isArray(v)) && len(bytes.TrimSpace(v[1:len(v)-1])) == 0
}

// hasText reports whether v is a non-empty string.
func hasText(v []byte) bool { return jsonscan.IsString(v) && len(v) > 2 }

// stringValue returns the text of a JSON string, or "" for any other value. Unlike
// jsonscan.DecodeText, it is inlined, so that a switch over the text allocates nothing.
func stringValue(v []byte) string { return string(jsonscan.DecodeString(v)) }

// field is a member of an object and the variable for its value.
type field struct {
	name string
	to   *[]byte
}

// findField returns the variable for a member, or nil if the member is not read.
func findField(name string, fields ...field) *[]byte {
	for _, f := range fields {
		if f.name == name {
			return f.to
		}
	}
	return nil
}

// readObject stores the members of an object, except null. It calls other, unless it is nil,
// for each member that is not listed and not empty.
func readObject(object []byte, other func(name string), fields ...field) {
	for name, v := range jsonscan.Members(object) {
		switch to := findField(string(name), fields...); {
		case jsonscan.IsNull(v):
		case to != nil:
			*to = v
		case other != nil && !isEmpty(v):
			other(string(name))
		}
	}
}

func quoteString[T ~string | ~[]byte](s T) []byte { return jsonscan.AppendQuoted(nil, s) }

// appendMember appends a member with a trailing comma, unless v is absent or null.
func appendMember(dst []byte, name string, v []byte) []byte {
	if jsonscan.IsNull(v) {
		return dst
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	dst = append(dst, v...)
	return append(dst, ',')
}

// appendNumber appends a member with a trailing comma.
func appendNumber[T int | int64](dst []byte, name string, n T) []byte {
	dst = append(dst, `"`+name+`":`...)
	return append(strconv.AppendInt(dst, int64(n), 10), ',')
}

// appendArray appends a member whose value is an array. It appends nothing if there are no
// elements. Each element has a trailing comma.
func appendArray(dst []byte, name string, elements []byte) []byte {
	if len(elements) == 0 {
		return dst
	}
	dst = append(dst, `"`+name+`":[`...)
	return closeWith(append(dst, elements...), "],")
}

// closeWith removes a trailing comma, if any, and appends end.
func closeWith(dst []byte, end string) []byte {
	return append(bytes.TrimSuffix(dst, []byte{','}), end...)
}

// appendText appends the content of the JSON string v to a JSON string that has no closing
// quote yet. If separator is not empty, it separates v from the text before it.
func appendText(dst, v []byte, separator string) []byte {
	if len(dst) == 0 {
		dst = append(dst, '"')
	} else {
		dst = append(dst, separator...)
	}
	return append(dst, v[1:len(v)-1]...)
}

// paragraph separates two texts of the model. It is escaped.
const paragraph = `\n\n`

// afterParagraph returns the JSON string v with a paragraph before its text.
func afterParagraph(v []byte) []byte { return append([]byte(`"`+paragraph), v[1:]...) }

// unsupportedError returns the error for a parameter that the model does not support. The
// reason is part of the message.
func unsupportedError(param, reason string) error {
	return unsupportedOptionError(param, param+" is not supported by this model: "+reason)
}

// unsupportedOptionError returns an UNSUPPORTED_PARAMETER error with the message.
func unsupportedOptionError(param, message string) error {
	return apperr.New(apperr.UnsupportedParameter, message).With("param", param)
}

func invalidResponseError(reason string) error {
	return apperr.New(apperr.ProviderInvalidResponse, "the provider's response could not be parsed").With("reason", reason)
}
