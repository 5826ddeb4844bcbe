package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A segment file is a sequence of frames:
//
//	offset  bytes  field
//	     0      4  magic FF 53 42 FE
//	     4      1  kind: 1 START, 2 END
//	     5      3  zero
//	     8      8  sequence number of an END, from 1; 0 in a START
//	    16     16  request id
//	    32      4  length of the payload, at most 8 MiB
//	    36      4  CRC-32C of producer id, payload, and header bytes 0 to 35
//	    40      n  payload
//
// Integers are little-endian. FF and FE never occur in UTF-8, so a search for
// the magic after damage does not stop inside a prompt. The checksum includes
// the producer id, which clients do not know. So a client cannot forge a frame
// by putting one into a prompt.
const (
	headerBytes    = 40
	checksumOffset = 36
	maxPayload     = 8 << 20

	kindStart byte = 1
	kindEnd   byte = 2
)

// Headroom is the number of free bytes that Start and End need before a payload.
// They write the frame header into these bytes and then write the whole buffer
// with one call. So the body is not copied. A copy would take longer than all other
// steps except the write.
const Headroom = headerBytes

var (
	magic      = []byte{0xFF, 'S', 'B', 0xFE}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// errTruncated means that the data may be the beginning of a frame.
	errTruncated = errors.New("frame ends early")
	errDamaged   = errors.New("frame is damaged")
)

type frame struct {
	kind    byte
	seq     uint64
	id      [16]byte
	payload []byte
}

// draft is a frame without its sequence number. The checksum of the payload is
// computed before journal.mu is locked, so that the lock is held only briefly.
type draft struct {
	buf []byte
	sum uint32
}

// newDraft builds a frame in buf, whose payload begins at offset Headroom. seed is
// the checksum of the producer id.
func newDraft(seed uint32, kind byte, id [16]byte, buf []byte) draft {
	copy(buf, magic)
	binary.LittleEndian.PutUint32(buf[4:], uint32(kind))
	copy(buf[16:32], id[:])
	binary.LittleEndian.PutUint32(buf[32:], uint32(len(buf)-headerBytes))
	return draft{buf, crc32.Update(seed, castagnoli, buf[headerBytes:])}
}

// withHeadroom returns a buffer that holds a copy of payload after Headroom free
// bytes.
func withHeadroom(payload []byte) []byte {
	return append(make([]byte, headerBytes, headerBytes+len(payload)), payload...)
}

// seal sets the sequence number and completes the checksum.
func (d draft) seal(seq uint64) {
	binary.LittleEndian.PutUint64(d.buf[8:], seq)
	sum := crc32.Update(d.sum, castagnoli, d.buf[:checksumOffset])
	binary.LittleEndian.PutUint32(d.buf[checksumOffset:], sum)
}

// decodeFrame reads the frame at the beginning of data and returns its length.
// The payload aliases data.
func decodeFrame(seed uint32, data []byte) (frame, int, error) {
	if len(data) < headerBytes {
		return frame{}, 0, classifyPrefix(data)
	}
	kind, size := data[4], binary.LittleEndian.Uint32(data[32:])
	valid := (kind == kindStart || kind == kindEnd) && data[5]|data[6]|data[7] == 0
	if !bytes.HasPrefix(data, magic) || !valid || size > maxPayload {
		return frame{}, 0, errDamaged
	}
	n := headerBytes + int(size)
	if len(data) < n {
		return frame{}, 0, errTruncated
	}
	sum := crc32.Update(seed, castagnoli, data[headerBytes:n])
	sum = crc32.Update(sum, castagnoli, data[:checksumOffset])
	if sum != binary.LittleEndian.Uint32(data[checksumOffset:]) {
		return frame{}, 0, errDamaged
	}
	f := frame{kind: kind, seq: binary.LittleEndian.Uint64(data[8:]), payload: data[headerBytes:n:n]}
	copy(f.id[:], data[16:32])
	return f, n, nil
}

// classifyPrefix checks data that is shorter than a header. It returns errTruncated
// if data can be the beginning of a frame, and errDamaged if not.
func classifyPrefix(data []byte) error {
	n := min(len(data), len(magic))
	if bytes.Equal(data[:n], magic[:n]) {
		return errTruncated
	}
	return errDamaged
}
