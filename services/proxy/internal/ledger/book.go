package ledger

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Spool is where frames are safe against the end of the process.
type Spool interface {
	// Neither Start nor End keeps the payload.
	Start(id [16]byte, payload []byte) error
	End(id [16]byte, payload []byte) error
	// Forget gives up a request whose END cannot be written.
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
	spool   Spool
	codec   Codec
	buffers sync.Pool
}

// NewBook makes a book.
func NewBook(spool Spool, codec Codec) *Book {
	return &Book{spool: spool, codec: codec}
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
		bare.Request, bare.Response = nil, nil
		err = b.end(&bare)
	}
	if err != nil {
		b.spool.Forget(r.ID)
	}
	return err
}

func (b *Book) end(r *Record) error { return b.write(r, b.spool.End) }

func (b *Book) write(r *Record, to func(id [16]byte, payload []byte) error) error {
	buf, _ := b.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	*buf = b.codec.Append((*buf)[:0], r)
	err := to(r.ID, *buf)
	if cap(*buf) <= keptBuffer {
		b.buffers.Put(buf)
	}
	return err
}
