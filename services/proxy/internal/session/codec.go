package session

import (
	"encoding/binary"
	"errors"

	"github.com/signalbox/signalbox/pkg/decide"
)

// codecVersion is the first byte of an encoded state. A proxy ignores states of other versions.
const codecVersion = 2

var errInvalidState = errors.New("session: invalid state")

// AppendBinary appends the state without its totals: about 150 bytes.
func (s *State) AppendBinary(dst []byte) []byte {
	dst = append(dst, codecVersion)
	dst = appendCandidate(dst, s.Last)
	for _, n := range [...]int64{s.LastAt, s.Input, s.AddedTokens, s.OutputTokens, s.Expires} {
		dst = binary.AppendVarint(dst, n)
	}
	dst = append(dst, byte(len(s.Conversations)))
	for i := range s.Conversations {
		c := &s.Conversations[i]
		dst = appendCandidate(binary.AppendUvarint(dst, c.Opening), c.Last)
		dst = binary.AppendVarint(binary.AppendVarint(dst, c.At), c.Input)
	}
	dst = append(dst, byte(len(s.Cached)))
	for i := range s.Cached {
		c := &s.Cached[i]
		dst = appendCandidate(binary.AppendUvarint(dst, c.Opening), c.Candidate)
		for _, n := range [...]int64{c.Tokens, c.Expires, c.Lifetime} {
			dst = binary.AppendVarint(dst, n)
		}
	}
	return dst
}

// AppendBinary appends the totals.
func (t *Totals) AppendBinary(dst []byte) []byte {
	for _, n := range t.All() {
		dst = binary.AppendVarint(dst, *n)
	}
	return dst
}

// All returns the totals in the order in which they are encoded.
func (t *Totals) All() [6]*int64 {
	return [6]*int64{&t.Requests, &t.Turns, &t.CostNanoUSD, &t.SavedNanoUSD, &t.InputTokens, &t.CachedTokens}
}

// Decode reads a state that State.AppendBinary wrote. The totals may follow it; without them
// they are 0.
func Decode(b []byte) (*State, error) {
	d := decoder{rest: b}
	if d.readByte() != codecVersion {
		return nil, errInvalidState
	}
	s := &State{Last: d.readCandidate()}
	for _, n := range [...]*int64{&s.LastAt, &s.Input, &s.AddedTokens, &s.OutputTokens, &s.Expires} {
		*n = d.readVarint()
	}
	for range d.readCount(maxConversations) {
		s.Conversations = append(s.Conversations, Conversation{Opening: d.readUvarint(), Last: d.readCandidate(), At: d.readVarint(), Input: d.readVarint()})
	}
	for range d.readCount(maxCached) {
		s.Cached = append(s.Cached, CachedPrefix{Opening: d.readUvarint(), Candidate: d.readCandidate(), Tokens: d.readVarint(), Expires: d.readVarint(), Lifetime: d.readVarint()})
	}
	if len(d.rest) > 0 && !d.failed {
		for _, n := range s.Totals.All() {
			*n = d.readVarint()
		}
	}
	if d.failed || len(d.rest) > 0 {
		return nil, errInvalidState
	}
	return s, nil
}

func appendCandidate(dst []byte, c decide.Candidate) []byte {
	for _, text := range [...]string{c.Model, c.Provider} {
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	return dst
}

// decoder reads an encoded state. After the first error it returns zero values.
type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) fail() {
	d.failed, d.rest = true, nil
}

func (d *decoder) readByte() byte {
	if len(d.rest) == 0 {
		d.fail()
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

// readCount reads the length of a list.
func (d *decoder) readCount(most int) int {
	n := int(d.readByte())
	if n > most {
		d.fail()
		return 0
	}
	return n
}

func (d *decoder) readVarint() int64 {
	n, size := binary.Varint(d.rest)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) readUvarint() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) readCandidate() decide.Candidate {
	return internCandidate(decide.Candidate{Model: d.readText(), Provider: d.readText()})
}

func (d *decoder) readText() string {
	n := d.readUvarint()
	if n > uint64(len(d.rest)) {
		d.fail()
		return ""
	}
	text := string(d.rest[:n])
	d.rest = d.rest[n:]
	return text
}
