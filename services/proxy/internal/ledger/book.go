package ledger

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/catalog"
)

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

// Codec is how a record becomes bytes.
type Codec interface {
	Append(dst []byte, r *Record) []byte
}

// keptBuffer is above what a record with its content takes, so that one giant
// does not stay in the pool.
const keptBuffer = 256 << 10

// Book writes records.
type Book struct {
	spool    Spool
	headroom int
	codec    Codec
	buffers  sync.Pool
}

// NewBook makes a book whose spool wants some bytes of headroom.
func NewBook(spool Spool, headroom int, codec Codec) *Book {
	return &Book{spool: spool, headroom: headroom, codec: codec}
}

// Open notes that a request is about to reach an upstream. Should the proxy
// die, the note is all that is known, so it holds what the request would at
// least have cost: its input, at the first target's price.
func (b *Book) Open(r *Record, prices Prices, inputTokens int64) error {
	note := *r
	note.Estimated = true
	note.Usage = catalog.Usage{Input: inputTokens}
	note.Attempts = []Attempt{{Target: r.Decision.Plan[0], Usage: &note.Usage, Estimated: true}}
	note.Settle(prices)
	return b.write(&note, b.spool.Start)
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
	return err
}

func (b *Book) end(r *Record) error { return b.write(r, b.spool.End) }

func (b *Book) write(r *Record, to func(id [16]byte, buf []byte) error) error {
	buf, _ := b.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new(make([]byte, b.headroom))
	}
	*buf = b.codec.Append((*buf)[:b.headroom], r)
	err := to(r.ID, *buf)
	if cap(*buf) <= keptBuffer {
		b.buffers.Put(buf)
	}
	return err
}
