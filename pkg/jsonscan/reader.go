package jsonscan

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Reader walks the objects and arrays of one text. It stores the first error. After an
// error every method behaves as if its object or array had ended. So callers need to check
// Err only once, at the end. Call Reset before the first use. The provider adapters use
// Reader to translate formats.
type Reader struct {
	scanner Scanner
	src     []byte
	name    []byte
	err     error
}

// Reset starts a new text, like Scanner.Reset.
func (r *Reader) Reset(src []byte, lenient bool) {
	r.scanner.Reset(src, lenient)
	r.src, r.name, r.err = src, nil, nil
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// SetError sets the reader's error if it has none yet.
func (r *Reader) SetError(err error) {
	if r.err == nil {
		r.err = err
	}
}

// PeekKind returns the kind of the next value, or Invalid after an error.
func (r *Reader) PeekKind() Kind {
	if r.err != nil {
		return Invalid
	}
	kind := r.scanner.PeekKind()
	if kind == Invalid {
		r.readToken()
	}
	return kind
}

// Enter enters an object or array of the given kind. It returns false and reads
// nothing if the next value is of another kind.
func (r *Reader) Enter(kind Kind) bool {
	if r.PeekKind() != kind {
		return false
	}
	r.readToken()
	return r.err == nil
}

// NextMember moves to the next member of an object. At the end of the object it
// leaves the object and returns false.
func (r *Reader) NextMember() bool {
	if r.PeekKind() == EndObject {
		r.readToken()
		return false
	}
	raw := r.readToken()
	if r.err != nil {
		return false
	}
	r.name = raw[1 : len(raw)-1]
	if bytes.IndexByte(r.name, '\\') >= 0 {
		r.name, _ = jsontext.AppendUnquote(nil, raw)
	}
	return true
}

// Name returns the unescaped name of the current member. The slice is valid until the
// next call of NextMember.
func (r *Reader) Name() []byte { return r.name }

// NextElement reports whether the array has another element. At the end of the
// array it leaves the array and returns false.
func (r *Reader) NextElement() bool {
	if r.PeekKind() == EndArray {
		r.readToken()
		return false
	}
	return r.err == nil
}

// Value reads the next value, including nested values, and returns its raw bytes. It
// returns nil after an error.
func (r *Reader) Value() []byte {
	kind, depth := r.PeekKind(), r.scanner.Depth()
	v := r.readToken()
	if kind != BeginObject && kind != BeginArray || r.err != nil {
		return v
	}
	start := r.scanner.Offset() - 1
	for r.scanner.Depth() > depth {
		if r.readToken(); r.err != nil {
			return nil
		}
	}
	return r.src[start:r.scanner.Offset()]
}

// CheckEnd returns the first error. If there is none, it returns an error unless exactly
// one value was read and nothing follows it.
func (r *Reader) CheckEnd() error {
	if r.err == nil {
		r.err = r.scanner.CheckEnd()
	}
	return r.err
}

func (r *Reader) readToken() []byte {
	if r.err != nil {
		return nil
	}
	v, err := r.scanner.ReadToken()
	if err != nil {
		r.err = err
		return nil
	}
	return v
}
