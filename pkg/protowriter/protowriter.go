// Package protowriter appends protobuf messages field by field, for the few of
// them that are made for every request: going through the generated structs
// would cost a request more than routing it does. It knows no message; whoever
// uses it holds its field numbers against the generated code in a test.
package protowriter

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Writer appends to Buf. As in proto3, a zero value is not written.
type Writer struct{ Buf []byte }

// Varint is small enough to be inlined for the short ones, which most are.
func (w *Writer) Varint(v uint64) {
	if v < 0x80 {
		w.Buf = append(w.Buf, byte(v))
		return
	}
	w.Buf = protowire.AppendVarint(w.Buf, v)
}

// Tag begins a field.
func (w *Writer) Tag(field protowire.Number, t protowire.Type) {
	w.Varint(protowire.EncodeTag(field, t))
}

// Num writes an unsigned number, a flag's 1 or an enum.
func (w *Writer) Num(field protowire.Number, v uint64) {
	if v != 0 {
		w.Tag(field, protowire.VarintType)
		w.Varint(v)
	}
}

// Signed writes an int64 or int32.
func (w *Writer) Signed(field protowire.Number, v int64) {
	w.Num(field, uint64(v)) //nolint:gosec // the wire format of a signed number
}

// Flag writes a bool.
func (w *Writer) Flag(field protowire.Number, v bool) {
	if v {
		w.Num(field, 1)
	}
}

// Maybe writes an optional int64: zero is a value, nil is none.
func (w *Writer) Maybe(field protowire.Number, v *int64) {
	if v != nil {
		w.Tag(field, protowire.VarintType)
		w.Varint(uint64(*v)) //nolint:gosec // the wire format of a signed number
	}
}

// Text makes any text fit to be sent: bytes that are no UTF-8 would make the
// whole message impossible to read.
func (w *Writer) Text(field protowire.Number, s string) {
	if s == "" {
		return
	}
	s = valid(s)
	w.Tag(field, protowire.BytesType)
	w.Varint(uint64(len(s)))
	w.Buf = append(w.Buf, s...)
}

func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Bytes writes bytes as they are.
func (w *Writer) Bytes(field protowire.Number, v []byte) {
	if len(v) > 0 {
		w.Tag(field, protowire.BytesType)
		w.Varint(uint64(len(v)))
		w.Buf = append(w.Buf, v...)
	}
}

// Count writes an entry of a map<string, int64>. It knows the length of one
// beforehand, which Open and Close do not.
func (w *Writer) Count(field protowire.Number, name string, v int64) {
	name = valid(name)
	size := 0
	if name != "" {
		size += 1 + protowire.SizeBytes(len(name))
	}
	if v != 0 {
		size += 1 + protowire.SizeVarint(uint64(v)) //nolint:gosec // the wire format of a signed number
	}
	w.Tag(field, protowire.BytesType)
	w.Varint(uint64(size))
	w.Text(1, name)
	w.Signed(2, v)
}

// Open begins a message inside this one; Close, given what Open returned, ends
// it by putting its length before it.
func (w *Writer) Open(field protowire.Number) int {
	w.Tag(field, protowire.BytesType)
	return len(w.Buf)
}

// Close ends what Open began.
func (w *Writer) Close(begin int) {
	size := len(w.Buf) - begin
	n := protowire.SizeVarint(uint64(size))
	w.Buf = append(w.Buf, "0123456789"[:n]...)
	copy(w.Buf[begin+n:], w.Buf[begin:begin+size])
	protowire.AppendVarint(w.Buf[:begin], uint64(size))
}
