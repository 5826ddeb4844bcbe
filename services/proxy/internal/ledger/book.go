package ledger

import "sync"

// Spool is where frames are safe against the end of the process.
type Spool interface {
	// Start and End write the buffer with a header of their own before the
	// payload, for which there must be headroom. They do not keep it.
	Start(id [16]byte, buf []byte) error
	End(id [16]byte, buf []byte) error
	// Forget gives up a request whose END cannot be written, unless that is
	// because the spool is closed: then the next start records it as cut off.
	Forget(id [16]byte)
}

// Codec is how a record becomes bytes, in two parts that are one when they
// follow each other. Neither keeps the record.
type Codec interface {
	// Head is what is known when a request is about to reach an upstream: who
	// asked what, and what was decided. It does not change from then on.
	Head(dst []byte, r *Record) []byte
	// Tail is what became of it.
	Tail(dst []byte, r *Record) []byte
}

// keptBuffer is above what a record with its content takes, and keptNote above
// what one takes without, so that one giant does not stay in the pool.
const (
	keptBuffer = 256 << 10
	keptNote   = 16 << 10
)

// Book writes records.
type Book struct {
	spool    Spool
	headroom int
	codec    Codec
	buffers  sync.Pool
	notes    sync.Pool
}

// note is what a record was opened with. The record has it until it is closed.
type note struct {
	// head follows headroom.
	head []byte
	// first is the attempt that is about to be made, as it is noted.
	first [1]Attempt
}

// NewBook makes a book whose spool wants some bytes of headroom.
func NewBook(spool Spool, headroom int, codec Codec) *Book {
	return &Book{spool: spool, headroom: headroom, codec: codec}
}

// Open notes that a request is about to reach an upstream. Should the proxy
// die, the note is all that is known, so it holds what the request would at
// least have cost: its input, at the first target's price.
func (b *Book) Open(r *Record, prices Prices, inputTokens int64) error {
	n, _ := b.notes.Get().(*note)
	if n == nil {
		n = &note{head: make([]byte, b.headroom)}
	}
	n.head = b.codec.Head(n.head[:b.headroom], r)
	r.note = n
	defer r.unexpect() // also after a panic, as the record is closed all the same
	r.expect(prices, inputTokens)
	whole := b.codec.Tail(n.head, r)
	err := b.spool.Start(r.ID, whole)
	n.head = whole[:len(n.head)]
	return err
}

// Close settles the record at the prices of the policy it was decided under,
// and writes it; after it returns nil the record outlives the process. A record
// that cannot be written with its content is written without.
func (b *Book) Close(r *Record, prices Prices) error {
	r.Settle(prices)
	err := b.end(r)
	if err != nil && (r.Request != nil || r.Response != nil) {
		bare := *r
		bare.Request, bare.Response, bare.Capture = nil, nil, CaptureDropped
		err = b.end(&bare)
	}
	if err != nil {
		b.spool.Forget(r.ID)
	}
	b.release(r)
	return err
}

func (b *Book) end(r *Record) error {
	buf, _ := b.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new(make([]byte, b.headroom))
	}
	*buf = b.codec.Tail(b.head((*buf)[:b.headroom], r), r)
	err := b.spool.End(r.ID, *buf)
	if cap(*buf) <= keptBuffer {
		b.buffers.Put(buf)
	}
	return err
}

// head is that of the note; a record that was never opened has none.
func (b *Book) head(dst []byte, r *Record) []byte {
	if r.note == nil {
		return b.codec.Head(dst, r)
	}
	return append(dst, r.note.head[b.headroom:]...)
}

// release takes the note from its record, for the next one.
func (b *Book) release(r *Record) {
	n := r.note
	r.note = nil
	if n != nil && cap(n.head) <= keptNote {
		b.notes.Put(n)
	}
}
