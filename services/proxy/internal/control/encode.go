package control

import (
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxText bounds what strangers may put into a record: enough to read, too
// little to make a ledger unreadable.
const maxText = 2 << 10

// encoder appends a protobuf message field by field. Going through the
// generated structs would cost a request more than routing it does. As in
// proto3, a zero value is not written.
type encoder struct{ b []byte }

func (e *encoder) tag(field protowire.Number, t protowire.Type) {
	e.varint(protowire.EncodeTag(field, t))
}

// varint is small enough to be inlined for the short ones, which most are.
func (e *encoder) varint(v uint64) {
	if v < 0x80 {
		e.b = append(e.b, byte(v))
		return
	}
	e.b = protowire.AppendVarint(e.b, v)
}

func (e *encoder) num(field protowire.Number, v int64) {
	if v != 0 {
		e.maybe(field, &v)
	}
}

// maybe writes an optional number: zero is a value, nil is none.
func (e *encoder) maybe(field protowire.Number, v *int64) {
	if v != nil {
		e.tag(field, protowire.VarintType)
		e.varint(uint64(*v)) //nolint:gosec // the wire format of a signed number
	}
}

// text makes any text fit for a record: bytes that are no UTF-8 would make the
// whole record impossible to read.
func (e *encoder) text(field protowire.Number, s string) {
	if s == "" {
		return
	}
	if len(s) > maxText {
		s = s[:maxText]
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	e.tag(field, protowire.BytesType)
	e.varint(uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) bytes(field protowire.Number, v []byte) {
	if len(v) > 0 {
		e.tag(field, protowire.BytesType)
		e.varint(uint64(len(v)))
		e.b = append(e.b, v...)
	}
}

func (e *encoder) duration(field protowire.Number, d time.Duration) { e.num(field, d.Microseconds()) }

// open begins a message inside this one; close, given what open returned, ends
// it by putting its length before it.
func (e *encoder) open(field protowire.Number) int {
	e.tag(field, protowire.BytesType)
	return len(e.b)
}

func (e *encoder) close(begin int) {
	size := len(e.b) - begin
	var head [10]byte
	n := len(protowire.AppendVarint(head[:0], uint64(size)))
	e.b = append(e.b, head[:n]...)
	copy(e.b[begin+n:], e.b[begin:begin+size])
	protowire.AppendVarint(e.b[begin:begin], uint64(size))
}
