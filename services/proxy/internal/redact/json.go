package redact

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// json appends a JSON text, string by string, until limit bytes are there;
// whole tells whether its end was reached. If the body is not JSON, what was
// appended is of no use.
func (d *draft) json(dst, body []byte, limit int) (out []byte, whole, isJSON bool) {
	d.scanner.Reset(body, true)
	d.levels = d.levels[:0]
	full, at, named := len(dst)+limit, 0, plain
	for len(dst) < full {
		kind := d.scanner.Peek()
		token, err := d.scanner.Token()
		if err != nil {
			return dst, false, false
		}
		end := d.scanner.Offset()
		dst = append(dst, body[at:end-len(token)]...)
		at = end
		whole = true
		_, isName := d.scanner.Names()
		switch {
		case kind == jsonscan.String && isName:
			named = d.inside(meaning(d.unquote(token)))
			dst, whole = d.text(dst, token, plain, full-len(dst))
		case kind == jsonscan.String:
			dst, whole = d.text(dst, token, named, full-len(dst))
		case kind == jsonscan.Number:
			dst = d.number(dst, token, named)
		default:
			named, dst = d.nest(kind, named), append(dst, token...)
		}
		if !whole {
			return dst, false, true
		}
		if d.scanner.Depth() == 0 {
			return append(dst, body[at:]...), true, d.scanner.End() == nil
		}
	}
	return dst, false, true
}

// inside is what a name means in the innermost object: in one that is secret,
// everything is.
func (d *draft) inside(named meant) meant {
	if last := len(d.levels) - 1; last >= 0 && d.levels[last] == secret {
		return secret
	}
	return named
}

// nest follows objects and arrays as they begin and end, and returns what the
// next value is by its place.
func (d *draft) nest(kind jsonscan.Kind, named meant) meant {
	switch kind {
	case jsonscan.BeginObject:
		if named != secret {
			named = plain
		}
		d.levels = append(d.levels, named)
	case jsonscan.BeginArray:
		d.levels = append(d.levels, named)
	case jsonscan.EndObject, jsonscan.EndArray:
		d.levels = d.levels[:len(d.levels)-1]
		if last := len(d.levels) - 1; last >= 0 {
			return d.levels[last]
		}
	}
	return named
}

// text appends a string value. It reports whether that is all of it; of a
// longer one the closing quote is missing.
func (d *draft) text(dst, token []byte, named meant, room int) ([]byte, bool) {
	clean, changed, whole := d.clean(d.unquote(token), named, max(room, 0))
	if !changed && whole {
		return append(dst, token...), true
	}
	// What is no valid UTF-8 becomes the sign for that.
	dst, _ = jsontext.AppendQuote(dst, clean)
	if !whole {
		dst = dst[:len(dst)-1]
	}
	return dst, whole
}

func (d *draft) unquote(token []byte) []byte {
	inner := token[1 : len(token)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	// The scanner has seen to it that only surrogates can be wrong.
	d.plain, _ = jsontext.AppendUnquote(d.plain[:0], token)
	return d.plain
}

// number appends a number, and in its place a string if it has to be hidden.
// What has a fraction or an exponent measures something.
func (d *draft) number(dst, token []byte, named meant) []byte {
	if named != secret && bytes.ContainsAny(token, ".eE") {
		return append(dst, token...)
	}
	clean, changed, _ := d.clean(token, named, len(token))
	if !changed {
		return append(dst, token...)
	}
	dst, _ = jsontext.AppendQuote(dst, clean)
	return dst
}
