// Package segment is the file format of the spool: segment files, which are sequences
// of frames.
//
// NewDraft and Seal build a frame, Decode reads one, and Scan visits all intact frames
// of a file and reports the damaged ranges between them. A checksum in each frame covers
// the producer id, so a frame of another producer counts as damage. CopyWithoutBodies
// makes a smaller copy of a file. The other functions name, list, read, write and sync
// the files.
//
// The package does not interpret payloads and has no state. Package spool decides which
// frames are written, needed and deleted.
package segment

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
	// HeaderBytes is the length of the header before a payload.
	HeaderBytes    = 40
	checksumOffset = 36
	// MaxPayload is the longest payload in bytes.
	MaxPayload = 8 << 20

	// KindStart marks a START, which is written before a request is served.
	KindStart byte = 1
	// KindEnd marks an END, which contains the record of a request.
	KindEnd byte = 2
)

var (
	magic      = []byte{0xFF, 'S', 'B', 0xFE}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// errTruncated means that the data may be the beginning of a frame.
	errTruncated = errors.New("frame ends early")
	errDamaged   = errors.New("frame is damaged")
)

// ChecksumSeed returns the checksum of the producer id, with which every checksum of
// the producer's frames begins.
func ChecksumSeed(producer string) uint32 {
	return crc32.Checksum([]byte(producer), castagnoli)
}

// Frame is a decoded frame.
type Frame struct {
	Kind    byte
	Seq     uint64
	ID      [16]byte
	Payload []byte
}

// Draft is a frame without its sequence number. The checksum of the payload is
// computed before the sequence number is known, so that a lock is held only briefly
// while the number is assigned.
type Draft struct {
	// Buf holds the whole frame. It is complete after Seal.
	Buf []byte
	sum uint32
}

// NewDraft builds a frame in buf, whose payload begins at offset HeaderBytes. seed is
// the checksum of the producer id.
func NewDraft(seed uint32, kind byte, id [16]byte, buf []byte) Draft {
	copy(buf, magic)
	binary.LittleEndian.PutUint32(buf[4:], uint32(kind))
	copy(buf[16:32], id[:])
	binary.LittleEndian.PutUint32(buf[32:], uint32(len(buf)-HeaderBytes))
	return Draft{buf, crc32.Update(seed, castagnoli, buf[HeaderBytes:])}
}

// WithHeadroom returns a buffer that holds a copy of payload after the free bytes for
// a header.
func WithHeadroom(payload []byte) []byte {
	return append(make([]byte, HeaderBytes, HeaderBytes+len(payload)), payload...)
}

// Seal sets the sequence number and completes the checksum.
func (d Draft) Seal(seq uint64) {
	binary.LittleEndian.PutUint64(d.Buf[8:], seq)
	sum := crc32.Update(d.sum, castagnoli, d.Buf[:checksumOffset])
	binary.LittleEndian.PutUint32(d.Buf[checksumOffset:], sum)
}

// Decode reads the frame at the beginning of data and returns its length.
// The payload aliases data.
func Decode(seed uint32, data []byte) (Frame, int, error) {
	if len(data) < HeaderBytes {
		return Frame{}, 0, classifyPrefix(data)
	}
	kind, size := data[4], binary.LittleEndian.Uint32(data[32:])
	valid := (kind == KindStart || kind == KindEnd) && data[5]|data[6]|data[7] == 0
	if !bytes.HasPrefix(data, magic) || !valid || size > MaxPayload {
		return Frame{}, 0, errDamaged
	}
	n := HeaderBytes + int(size)
	if len(data) < n {
		return Frame{}, 0, errTruncated
	}
	sum := crc32.Update(seed, castagnoli, data[HeaderBytes:n])
	sum = crc32.Update(sum, castagnoli, data[:checksumOffset])
	if sum != binary.LittleEndian.Uint32(data[checksumOffset:]) {
		return Frame{}, 0, errDamaged
	}
	f := Frame{Kind: kind, Seq: binary.LittleEndian.Uint64(data[8:]), Payload: data[HeaderBytes:n:n]}
	copy(f.ID[:], data[16:32])
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
