package decidewire

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// writer appends a message field by field. As in proto3, a zero value is not
// written.
type writer struct{ b []byte }

func (w *writer) varint(v uint64) {
	if v < 0x80 {
		w.b = append(w.b, byte(v))
		return
	}
	w.b = protowire.AppendVarint(w.b, v)
}

func (w *writer) tag(field protowire.Number, t protowire.Type) {
	w.varint(protowire.EncodeTag(field, t))
}

func (w *writer) num(field protowire.Number, v uint64) {
	if v != 0 {
		w.tag(field, protowire.VarintType)
		w.varint(v)
	}
}

func (w *writer) signed(field protowire.Number, v int64) {
	w.num(field, uint64(v)) //nolint:gosec // the wire format of a signed number
}

func (w *writer) flag(field protowire.Number, v bool) {
	if v {
		w.num(field, 1)
	}
}

// text makes any text fit to be sent: one that is no UTF-8 would end the stream.
func (w *writer) text(field protowire.Number, s string) {
	if s == "" {
		return
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	w.tag(field, protowire.BytesType)
	w.varint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) features(field protowire.Number, all map[string]int64) {
	for name, v := range all {
		at := w.open(field)
		w.text(1, name)
		w.signed(2, v)
		w.close(at)
	}
}

// open begins a message inside this one; close, given what open returned, ends
// it by putting its length before it.
func (w *writer) open(field protowire.Number) int {
	w.tag(field, protowire.BytesType)
	return len(w.b)
}

func (w *writer) close(begin int) {
	size := len(w.b) - begin
	n := protowire.SizeVarint(uint64(size))
	w.b = append(w.b, "0123456789"[:n]...)
	copy(w.b[begin+n:], w.b[begin:begin+size])
	protowire.AppendVarint(w.b[:begin], uint64(size))
}
