package segment

import "sort"

// StrippedCopy is a copy of a segment without bodies.
type StrippedCopy struct {
	Data []byte
	// Dropped holds the numbers of the ENDs whose body was dropped.
	Dropped []uint64
	moves   []move // where each part of the segment begins in the copy
}

type move struct{ from, to int64 }

// CopyWithoutBodies copies every frame of data, without the record's body, and the
// bytes between frames.
func CopyWithoutBodies(seed uint32, data []byte, strip func([]byte) ([]byte, bool)) (c StrippedCopy) {
	end := 0 // the bytes before end are copied
	copyUntil := func(to int) {
		if end < to {
			c.moves = append(c.moves, move{int64(end), int64(len(c.Data))})
			c.Data = append(c.Data, data[end:to]...)
		}
	}
	Scan(seed, data, func(off int, f Frame) {
		copyUntil(off)
		end = off
		next := off + HeaderBytes + len(f.Payload)
		var bare []byte
		had := false
		if f.Kind == KindEnd {
			bare, had = strip(f.Payload)
		}
		if !had || len(bare) >= len(f.Payload) {
			copyUntil(next)
			end = next
			return
		}
		c.moves = append(c.moves, move{int64(off), int64(len(c.Data))})
		d := NewDraft(seed, f.Kind, f.ID, WithHeadroom(bare))
		d.Seal(f.Seq)
		c.Data = append(c.Data, d.Buf...)
		c.Dropped = append(c.Dropped, f.Seq)
		end = next
	})
	copyUntil(len(data))
	return c
}

// NewOffset translates an offset of the original into one of the copy.
func (c StrippedCopy) NewOffset(off int64) int64 {
	i := sort.Search(len(c.moves), func(i int) bool { return c.moves[i].from > off }) - 1
	return c.moves[i].to + off - c.moves[i].from
}
