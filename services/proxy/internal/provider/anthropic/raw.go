package anthropic

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// Values of JSON are handled as they were written, in these few ways.

func isText(v []byte) bool { return len(v) > 1 && v[0] == '"' }

func isNull(v []byte) bool { return len(v) == 0 || v[0] == 'n' }

func isTrue(v []byte) bool { return string(v) == "true" }

func isObject(v []byte) bool { return len(v) > 1 && v[0] == '{' }

func isArray(v []byte) bool { return len(v) > 1 && v[0] == '[' }

// isEmpty tells whether v is absent, null, or an object or array with nothing
// in it.
func isEmpty(v []byte) bool {
	return isNull(v) || (isObject(v) || isArray(v)) && len(bytes.TrimSpace(v[1:len(v)-1])) == 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' || c == '-' }

// word is the text of a string value, and empty for any other.
func word(v []byte) string { return string(jsonscan.Text(v)) }

// member is the value of an object's member, nil if there is none or it is
// null.
func member(object []byte, name string) []byte {
	for n, v := range jsonscan.Members(object) {
		if string(n) == name && !isNull(v) {
			return v
		}
	}
	return nil
}

// quoted is s as a string value.
func quoted[T ~string | ~[]byte](s T) []byte { return appendQuoted(nil, s) }

// appendQuoted appends s as a string value; bad UTF-8 is replaced.
func appendQuoted[T ~string | ~[]byte](dst []byte, s T) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// appendJoined lets the string dst, which has no closing quote yet, go on with
// v. Strings are joined as written.
func appendJoined(dst, v []byte) []byte {
	if len(dst) == 0 {
		dst = append(dst, '"')
	}
	return append(dst, v[1:len(v)-1]...)
}

// appendMember appends a member with the comma after it, unless v is null.
func appendMember(dst []byte, name string, v []byte) []byte {
	if isNull(v) {
		return dst
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	dst = append(dst, v...)
	return append(dst, ',')
}

// closed puts the end in the place of the last comma, or behind what has none.
func closed(dst []byte, end string) []byte {
	return append(bytes.TrimSuffix(dst, []byte{','}), end...)
}

// number is the number that v is.
func number(v []byte) (float64, bool) {
	if len(v) == 0 || !isDigit(v[0]) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// isBlank tells whether a string value is empty or white space, which the
// format refuses in a text block.
func isBlank(v []byte) bool {
	return isText(v) && trimmed(v[1:len(v)-1]) == 0
}

// trimmed is how much of the inside of a string stands before the white space
// at its end.
func trimmed(inner []byte) int {
	end := len(inner)
	for end > 0 {
		switch {
		case inner[end-1] == ' ':
			end--
		case end > 1 && escapedSpace(inner[:end]):
			end -= 2
		default:
			return end
		}
	}
	return 0
}

// escapedSpace tells whether the inside of a string ends in \n, \r or \t, and
// not in a backslash and a letter.
func escapedSpace(inner []byte) bool {
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

// letters is about how many a string value has.
func letters(v []byte) int {
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

// compact is a value without white space around its tokens.
func compact(v []byte) []byte {
	out := jsontext.Value(slices.Clone(v))
	if out.Compact(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return v
	}
	return out
}

// unsupported refuses what the format cannot say and the answer depends on.
func unsupported(param, why string) error {
	return apperr.New(apperr.UnsupportedParameter, param+" is not supported by this model: "+why).With("param", param)
}

// invalid is for an answer that no client could be given.
func invalid(reason string) error {
	return apperr.New(apperr.ProviderInvalidResponse, "the provider's answer could not be understood").With("reason", reason)
}
