package redact

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// redactJSON appends a redacted JSON body, value by value, until limit bytes are written.
// whole reports whether it reached the end of the body. isJSON is false if the body is not
// valid JSON. Then the caller must discard the result.
func (d *redaction) redactJSON(dst, body []byte, limit int) (out []byte, whole, isJSON bool) {
	d.scanner.Reset(body, true)
	d.nesting = d.nesting[:0]
	full, at, named := len(dst)+limit, 0, classPlain
	for len(dst) < full {
		kind := d.scanner.PeekKind()
		token, err := d.scanner.ReadToken()
		if err != nil {
			return dst, false, false
		}
		end := d.scanner.Offset()
		dst = append(dst, body[at:end-len(token)]...)
		at = end
		whole = true
		_, isName := d.scanner.CountNames()
		switch {
		case kind == jsonscan.String && isName:
			named = d.effectiveClass(d.classifyMember(d.unquoteString(token)))
			dst, whole = d.redactString(dst, token, classPlain, full-len(dst))
		case kind == jsonscan.String:
			dst, whole = d.redactString(dst, token, named, full-len(dst))
		case kind == jsonscan.Number:
			dst = d.redactNumber(dst, token, named)
		default:
			named, dst = d.trackNesting(kind, named), append(dst, token...)
		}
		if !whole {
			return dst, false, true
		}
		if d.scanner.Depth() == 0 {
			return append(dst, body[at:]...), true, d.scanner.CheckEnd() == nil
		}
	}
	return dst, false, true
}

// classifyMember returns the class of a member's name. The members that name the end user and
// the session have a meaning only at the top level of a body.
func (d *redaction) classifyMember(name []byte) nameClass {
	if d.scanner.Depth() == 1 && slices.Contains(identityNames, string(name)) {
		return classIdentity
	}
	return classifyName(name)
}

// effectiveClass returns the class of a value. The parameter is the class of the value's name.
// Inside an object or array of a class that hides everything, every value has that class.
func (d *redaction) effectiveClass(named nameClass) nameClass {
	if last := len(d.nesting) - 1; last >= 0 && d.nesting[last].hidesNested() {
		return d.nesting[last]
	}
	return named
}

// trackNesting records where objects and arrays begin and end. It returns the class of
// the next value.
func (d *redaction) trackNesting(kind jsonscan.Kind, named nameClass) nameClass {
	switch kind {
	case jsonscan.BeginObject:
		if !named.hidesNested() {
			named = classPlain
		}
		d.nesting = append(d.nesting, named)
	case jsonscan.BeginArray:
		d.nesting = append(d.nesting, named)
	case jsonscan.EndObject, jsonscan.EndArray:
		d.nesting = d.nesting[:len(d.nesting)-1]
		if last := len(d.nesting) - 1; last >= 0 {
			return d.nesting[last]
		}
	}
	return named
}

// redactString appends a redacted string and reports whether it is complete. An
// incomplete string has no closing quote.
func (d *redaction) redactString(dst, token []byte, named nameClass, limit int) ([]byte, bool) {
	clean, changed, whole := d.redactText(d.unquoteString(token), named, max(limit, 0))
	if !changed && whole {
		return append(dst, token...), true
	}
	// AppendQuote replaces invalid UTF-8 by the replacement character.
	dst, _ = jsontext.AppendQuote(dst, clean)
	if !whole {
		dst = dst[:len(dst)-1]
	}
	return dst, whole
}

func (d *redaction) unquoteString(token []byte) []byte {
	inner := token[1 : len(token)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	// The scanner has checked the string, so only surrogates can be invalid. AppendUnquote
	// replaces invalid surrogates.
	d.unquoted, _ = jsontext.AppendUnquote(d.unquoted[:0], token)
	return d.unquoted
}

// redactNumber appends a number. If the number must be redacted, it appends a marker as a
// JSON string instead. A number with a fraction or an exponent is a measurement, so it is
// redacted only under a name that hides everything.
func (d *redaction) redactNumber(dst, token []byte, named nameClass) []byte {
	if !named.hidesNested() && bytes.ContainsAny(token, ".eE") {
		return append(dst, token...)
	}
	clean, changed, _ := d.redactText(token, named, len(token))
	if !changed {
		return append(dst, token...)
	}
	dst, _ = jsontext.AppendQuote(dst, clean)
	return dst
}
