package jsonscan

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Reader walks the objects and arrays of one text. Its first error sticks: from
// then on every method reports an end, so that its user looks at Err once, when
// done. The zero value is ready for Reset. Translators of vendors' formats are
// built on it.
type Reader struct {
	text Scanner
	src  []byte
	name []byte
	err  error
}

// Reset begins a text, as Scanner.Reset does.
func (r *Reader) Reset(src []byte, lenient bool) {
	r.text.Reset(src, lenient)
	r.src, r.name, r.err = src, nil, nil
}

// Err is the first thing that went wrong.
func (r *Reader) Err() error { return r.err }

// Fail makes err the error, if there was none before.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Kind is the kind of the next value, Invalid where there is none.
func (r *Reader) Kind() Kind {
	if r.err != nil {
		return Invalid
	}
	kind := r.text.Peek()
	if kind == Invalid {
		r.token()
	}
	return kind
}

// Open enters an object or an array. If the next value is something else, that
// is left unread and Open returns false.
func (r *Reader) Open(kind Kind) bool {
	if r.Kind() != kind {
		return false
	}
	r.token()
	return r.err == nil
}

// Member moves to the next member of an object; at the object's end it leaves
// it and returns false.
func (r *Reader) Member() bool {
	if r.Kind() == EndObject {
		r.token()
		return false
	}
	raw := r.token()
	if r.err != nil {
		return false
	}
	r.name = raw[1 : len(raw)-1]
	if bytes.IndexByte(r.name, '\\') >= 0 {
		r.name, _ = jsontext.AppendUnquote(nil, raw)
	}
	return true
}

// Name is that of the member Member moved to, unescaped, valid until the next.
func (r *Reader) Name() []byte { return r.name }

// Element tells whether an array has another element; at the array's end it
// leaves it and returns false.
func (r *Reader) Element() bool {
	if r.Kind() == EndArray {
		r.token()
		return false
	}
	return r.err == nil
}

// Value reads the next value whole and returns it as written, nil after an
// error.
func (r *Reader) Value() []byte {
	kind, depth := r.Kind(), r.text.Depth()
	v := r.token()
	if kind != BeginObject && kind != BeginArray || r.err != nil {
		return v
	}
	start := r.text.Offset() - 1
	for r.text.Depth() > depth {
		if r.token(); r.err != nil {
			return nil
		}
	}
	return r.src[start:r.text.Offset()]
}

// End fails unless the text is over.
func (r *Reader) End() error {
	if r.err == nil {
		r.err = r.text.End()
	}
	return r.err
}

func (r *Reader) token() []byte {
	if r.err != nil {
		return nil
	}
	v, err := r.text.Token()
	if err != nil {
		r.err = err
		return nil
	}
	return v
}
