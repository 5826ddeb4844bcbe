package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A segment file is a sequence of frames and nothing else:
//
//	offset  bytes  field
//	     0      4  magic FF 53 42 FE
//	     4      1  kind: 1 START, 2 END
//	     5      3  zero
//	     8      8  seq: an END's number, from 1; 0 in a START
//	    16     16  request id
//	    32      4  length of the payload, at most 8 MiB
//	    36      4  CRC-32C of producer id, payload, header up to here
//	    40      n  payload
//
// Integers are little-endian. FF and FE never occur in UTF-8, so a search for
// the magic after damage does not stop in a prompt. The producer id opens the
// checksum so that a client who puts a whole frame into a prompt cannot have
// it taken for one: the id is known to nobody outside.
const (
	headerBytes = 40
	sumOffset   = 36
	maxPayload  = 8 << 20

	kindStart byte = 1
	kindEnd   byte = 2
)

// Headroom is how many bytes Start and End need before a payload. They put the
// frame's header there and write the buffer as it is: copying a record's body
// would cost more than all else they do but the write.
const Headroom = headerBytes

var (
	magic      = []byte{0xFF, 'S', 'B', 0xFE}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// errShort means that the bytes so far could begin a frame.
	errShort   = errors.New("frame ends early")
	errDamaged = errors.New("frame is damaged")
)

type frame struct {
	kind    byte
	seq     uint64
	id      [16]byte
	payload []byte
}

// draft is a frame whose number is not known yet. The payload is summed first
// so that the long work is done before the lock that gives the number.
type draft struct {
	buf []byte
	sum uint32
}

// newDraft makes a frame of the buffer, whose payload begins after Headroom.
func newDraft(key uint32, kind byte, id [16]byte, buf []byte) draft {
	copy(buf, magic)
	binary.LittleEndian.PutUint32(buf[4:], uint32(kind))
	copy(buf[16:32], id[:])
	binary.LittleEndian.PutUint32(buf[32:], uint32(len(buf)-headerBytes))
	return draft{buf, crc32.Update(key, castagnoli, buf[headerBytes:])}
}

// roomy returns a copy of a payload with headroom.
func roomy(payload []byte) []byte {
	return append(make([]byte, headerBytes, headerBytes+len(payload)), payload...)
}

func (d draft) seal(seq uint64) {
	binary.LittleEndian.PutUint64(d.buf[8:], seq)
	sum := crc32.Update(d.sum, castagnoli, d.buf[:sumOffset])
	binary.LittleEndian.PutUint32(d.buf[sumOffset:], sum)
}

// decode reads the frame at the beginning of data and says how long it is. The
// payload is part of data.
func decode(key uint32, data []byte) (frame, int, error) {
	if len(data) < headerBytes {
		return frame{}, 0, whetherShort(data)
	}
	kind, size := data[4], binary.LittleEndian.Uint32(data[32:])
	known := (kind == kindStart || kind == kindEnd) && data[5]|data[6]|data[7] == 0
	if !bytes.HasPrefix(data, magic) || !known || size > maxPayload {
		return frame{}, 0, errDamaged
	}
	n := headerBytes + int(size)
	if len(data) < n {
		return frame{}, 0, errShort
	}
	sum := crc32.Update(key, castagnoli, data[headerBytes:n])
	sum = crc32.Update(sum, castagnoli, data[:sumOffset])
	if sum != binary.LittleEndian.Uint32(data[sumOffset:]) {
		return frame{}, 0, errDamaged
	}
	f := frame{kind: kind, seq: binary.LittleEndian.Uint64(data[8:]), payload: data[headerBytes:n:n]}
	copy(f.id[:], data[16:32])
	return f, n, nil
}

func whetherShort(data []byte) error {
	n := min(len(data), len(magic))
	if bytes.Equal(data[:n], magic[:n]) {
		return errShort
	}
	return errDamaged
}
