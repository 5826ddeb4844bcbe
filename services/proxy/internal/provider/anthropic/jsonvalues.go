package anthropic

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// The functions below work on raw JSON values, so that values are copied exactly as the
// client or the upstream wrote them.

func isTrue(v []byte) bool { return string(v) == "true" }

func isObject(v []byte) bool { return len(v) > 1 && v[0] == '{' }

func isArray(v []byte) bool { return len(v) > 1 && v[0] == '[' }

// isEmpty reports whether v is absent, null, or an empty object or array.
func isEmpty(v []byte) bool {
	return jsonscan.IsNull(v) || (isObject(v) || isArray(v)) && len(bytes.TrimSpace(v[1:len(v)-1])) == 0
}

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

func quoteString[T ~string | ~[]byte](s T) []byte { return jsonscan.AppendQuoted(nil, s) }

// appendString appends the content of the JSON string v to the JSON string dst. The
// content stays escaped. dst has no closing quote yet.
func appendString(dst, v []byte) []byte {
	if len(dst) == 0 {
		dst = append(dst, '"')
	}
	return append(dst, v[1:len(v)-1]...)
}

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

// closeWith removes a trailing comma, if any, and appends end.
func closeWith(dst []byte, end string) []byte {
	return append(bytes.TrimSuffix(dst, []byte{','}), end...)
}

// parseNumber returns the value of a JSON number. The second result is false for other values.
func parseNumber(v []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil && jsontext.Value(v).Kind() == jsontext.KindNumber
}

// isBlank reports whether v is a JSON string that is empty or contains only white space. The
// Anthropic API rejects such a string in a text block.
func isBlank(v []byte) bool {
	return jsonscan.IsString(v) && trimmedLen(v[1:len(v)-1]) == 0
}

// trimmedLen returns the length without trailing white space. inner is the content of a
// JSON string, still escaped.
func trimmedLen(inner []byte) int {
	end := len(inner)
	for end > 0 {
		switch {
		case inner[end-1] == ' ':
			end--
		case end > 1 && endsWithEscapedSpace(inner[:end]):
			end -= 2
		default:
			return end
		}
	}
	return 0
}

// endsWithEscapedSpace reports whether inner ends with the escape \n, \r or \t. It
// returns false for an escaped backslash before a letter. inner is the content of a JSON
// string, still escaped.
func endsWithEscapedSpace(inner []byte) bool {
	last := len(inner) - 1
	if bytes.IndexByte([]byte("nrt"), inner[last]) < 0 {
		return false
	}
	slashes := 0
	for at := last - 1; at >= 0 && inner[at] == '\\'; at-- {
		slashes++
	}
	return slashes%2 == 1
}

// estimateRunes returns the approximate number of characters in a JSON string.
func estimateRunes(v []byte) int {
	n := utf8.RuneCount(v[1 : len(v)-1])
	for at := 1; at < len(v); at += 2 {
		next := bytes.IndexByte(v[at:], '\\')
		if next < 0 {
			break
		}
		at += next
		n--
		if v[at+1] == 'u' {
			n -= 4
		}
	}
	return n
}

// compactJSON returns v without insignificant white space. It returns invalid JSON unchanged.
func compactJSON(v []byte) []byte {
	out := jsontext.Value(slices.Clone(v))
	if out.Compact(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return v
	}
	return out
}

// unsupportedError returns the error for a parameter that the model does not support. The reason
// is part of the message.
func unsupportedError(param, reason string) error {
	return unsupportedOptionError(param, param+" is not supported by this model: "+reason)
}

// unsupportedOptionError returns an UNSUPPORTED_PARAMETER error with the message. Unlike
// unsupportedError, it does not say that the model is the cause.
func unsupportedOptionError(param, message string) error {
	return apperr.New(apperr.UnsupportedParameter, message).With("param", param)
}

func invalidResponseError(reason string) error {
	return apperr.New(apperr.ProviderInvalidResponse, "the provider's response could not be parsed").With("reason", reason)
}
