package jsonscan

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Reader walks the objects and arrays of one text. It stores the first error. After an
// error every method behaves as if its object or array had ended. So callers need to check
// Err only once, at the end. Returned values are slices of the text. Call Reset or
// ResetLimited before the first use.
type Reader struct {
	scanner Scanner
	src     []byte
	err     error

	// rawName is the name of the current member in escaped form, with quotes. name is
	// the unescaped name.
	rawName, name []byte
	// memberStart is the offset at which the current member starts, before its comma.
	memberStart int
	limits      readerLimits
}

// Reset starts a new text, like Scanner.Reset. The text has no limits.
func (r *Reader) Reset(src []byte, lenient bool) {
	r.scanner.Reset(src, lenient)
	r.src, r.err = src, nil
	r.rawName, r.name, r.memberStart = nil, nil, 0
	r.limits = readerLimits{}
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// SetError sets the reader's error if it has none yet.
func (r *Reader) SetError(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Source returns the whole text.
func (r *Reader) Source() []byte { return r.src }

// Offset returns the offset after the last token.
func (r *Reader) Offset() int { return r.scanner.Offset() }

// EscapeOverhead is like Scanner.EscapeOverhead.
func (r *Reader) EscapeOverhead() int { return r.scanner.EscapeOverhead() }

// PortabilityError is like Scanner.PortabilityError.
func (r *Reader) PortabilityError() *Error { return r.scanner.PortabilityError() }

// PeekKind returns the kind of the next value. If there is none, it sets the error and
// returns Invalid.
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

// Enter reads one token of the given kind. For BeginObject and BeginArray it enters the
// object or array. It returns false and reads nothing if the next value is of another kind.
func (r *Reader) Enter(kind Kind) bool {
	return r.PeekKind() == kind && r.readToken()
}

// NextMember moves to the next member of an object. At the end of the object it
// leaves the object and returns false.
func (r *Reader) NextMember() bool {
	r.memberStart = r.Offset()
	if r.PeekKind() == EndObject {
		r.readToken()
		return false
	}
	r.rawName = r.readScalar()
	r.checkNames(MaxMembers)
	if r.err != nil {
		return false
	}
	r.name = r.rawName[1 : len(r.rawName)-1]
	if bytes.IndexByte(r.name, '\\') >= 0 {
		r.name = AppendUnquoted(nil, r.rawName)
	}
	return true
}

// Name returns the unescaped name of the current member. The slice is valid until the
// next call of NextMember.
func (r *Reader) Name() []byte { return r.name }

// RawName returns the name of the current member in escaped form, with quotes.
func (r *Reader) RawName() []byte { return r.rawName }

// MemberStart returns the offset at which the current member starts, before its comma.
func (r *Reader) MemberStart() int { return r.memberStart }

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
func (r *Reader) Value() jsontext.Value {
	switch r.PeekKind() {
	case BeginObject, BeginArray:
		return r.readComposite()
	}
	return r.readScalar()
}

// CheckEnd returns the first error. If there is none, it returns an error unless exactly
// one value was read and nothing follows it.
func (r *Reader) CheckEnd() error {
	if r.err == nil {
		r.err = r.scanner.CheckEnd()
	}
	return r.err
}

// readScalar reads a name, or a value that is neither object nor array.
func (r *Reader) readScalar() jsontext.Value {
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

func (r *Reader) readComposite() jsontext.Value {
	depth := r.scanner.Depth()
	if !r.readToken() {
		return nil
	}
	start := r.Offset() - 1
	for r.scanner.Depth() > depth {
		if !r.readToken() {
			return nil
		}
	}
	return r.src[start:r.Offset()]
}

// readToken reads one token and checks the limits on depth and names.
func (r *Reader) readToken() bool {
	if r.err != nil {
		return false
	}
	if _, err := r.scanner.ReadToken(); err != nil {
		r.err = err
		return false
	}
	if r.limits.enabled && r.scanner.Depth() > maxDepth {
		r.failAtOffset(errTooDeep)
	}
	r.checkNames(maxObjectNames)
	return r.err == nil
}
