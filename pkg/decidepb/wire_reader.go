package decidepb

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// The wire types that the messages of the router use.
const (
	varintType = uint64(protowire.VarintType)
	bytesType  = uint64(protowire.BytesType)
)

// wireReader reads the fields of an encoded message one after the other. The texts share the
// memory of the message.
type wireReader struct {
	rest string
	// tag is the number of the current field shifted by 3, plus its wire type. A field with an
	// unexpected wire type has another tag, so it counts as unknown, as in the generated code.
	tag uint64
	// number or text is the value of the current field, depending on its wire type.
	number    uint64
	text      string
	isDamaged bool
}

// next reads a field. It returns false at the end of the message or if the message is damaged.
func (r *wireReader) next() bool {
	if r.rest == "" || r.isDamaged {
		return false
	}
	r.tag = r.readVarint()
	switch protowire.Type(r.tag & 7) { //nolint:gosec // three bits
	case protowire.VarintType:
		r.number = r.readVarint()
	case protowire.BytesType:
		r.text = r.readBytes(r.readVarint())
	case protowire.Fixed64Type:
		r.readBytes(8)
	case protowire.Fixed32Type:
		r.readBytes(4)
	default: // the contract has no groups
		r.isDamaged = true
	}
	r.isDamaged = r.isDamaged || r.tag>>3 == 0 || r.tag>>3 > uint64(protowire.MaxValidNumber)
	return !r.isDamaged
}

// int64 returns the current number as a signed number.
func (r *wireReader) int64() int64 { return int64(r.number) } //nolint:gosec // the wire format of a signed number

func (r *wireReader) readVarint() (v uint64) {
	for i := range min(len(r.rest), binary.MaxVarintLen64) {
		b := r.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			r.isDamaged = r.isDamaged || i == binary.MaxVarintLen64-1 && b > 1 // more than 64 bits
			return v
		}
	}
	r.isDamaged = true
	return 0
}

func (r *wireReader) readBytes(size uint64) string {
	if size > uint64(len(r.rest)) {
		r.isDamaged = true
		return ""
	}
	text := r.rest[:size]
	r.rest = r.rest[size:]
	return text
}

// countFields returns how often each of the fields below 16 occurs, so that a decoder can allocate
// its lists once.
func countFields(message string) (counts [16]int) {
	for r := (wireReader{rest: message}); r.next(); {
		if field := r.tag >> 3; field < uint64(len(counts)) {
			counts[field]++
		}
	}
	return counts
}
