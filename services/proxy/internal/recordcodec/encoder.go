package recordcodec

import (
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxText limits strings that clients and providers choose. It is enough to understand them,
// and keeps records small.
const maxText = 2 << 10

// encoder appends protobuf fields to buf. As in proto3, zero values are not written.
type encoder struct{ buf []byte }

// appendVarint has a short path for one byte, so that the compiler can inline it.
func (e *encoder) appendVarint(v uint64) {
	if v < 0x80 {
		e.buf = append(e.buf, byte(v))
		return
	}
	e.buf = protowire.AppendVarint(e.buf, v)
}

func (e *encoder) writeTag(field protowire.Number, t protowire.Type) {
	e.appendVarint(protowire.EncodeTag(field, t))
}

// writeInt writes a signed integer or an enum.
func (e *encoder) writeInt(field protowire.Number, v int64) {
	if v != 0 {
		e.writeTag(field, protowire.VarintType)
		e.appendVarint(uint64(v)) //nolint:gosec // the wire format of a signed number
	}
}

func (e *encoder) writeBool(field protowire.Number, v bool) {
	if v {
		e.writeInt(field, 1)
	}
}

// writeOptional writes an optional integer. A zero is written, nil is not.
func (e *encoder) writeOptional(field protowire.Number, v *int64) {
	if v != nil {
		e.writeTag(field, protowire.VarintType)
		e.appendVarint(uint64(*v)) //nolint:gosec // the wire format of a signed number
	}
}

func (e *encoder) writeBytes(field protowire.Number, v []byte) {
	if len(v) > 0 {
		e.writeTag(field, protowire.BytesType)
		e.appendVarint(uint64(len(v)))
		e.buf = append(e.buf, v...)
	}
}

// writeText writes at most maxText bytes of a string. It replaces invalid UTF-8, because a
// record with an invalid string cannot be decoded.
func (e *encoder) writeText(field protowire.Number, s string) {
	if s == "" {
		return
	}
	s = s[:min(len(s), maxText)]
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	e.writeTag(field, protowire.BytesType)
	e.appendVarint(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// writeDuration writes a duration in microseconds.
func (e *encoder) writeDuration(field protowire.Number, d time.Duration) {
	e.writeInt(field, d.Microseconds())
}

// openMessage starts an embedded message. The caller passes the result to closeMessage.
func (e *encoder) openMessage(field protowire.Number) int {
	e.writeTag(field, protowire.BytesType)
	return len(e.buf)
}

// closeMessage inserts the length of the embedded message before its content.
func (e *encoder) closeMessage(begin int) {
	size := len(e.buf) - begin
	n := protowire.SizeVarint(uint64(size))
	e.buf = append(e.buf, "0123456789"[:n]...)
	copy(e.buf[begin+n:], e.buf[begin:begin+size])
	protowire.AppendVarint(e.buf[:begin], uint64(size))
}
