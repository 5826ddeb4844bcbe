package ledger

import (
	"fmt"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Spool is where frames are safe against the end of the process.
type Spool interface {
	Start(id [16]byte, payload []byte) error
	End(id [16]byte, payload []byte) error
	// Forget gives up a request whose END cannot be written.
	Forget(id [16]byte)
}

// Codec is how a record becomes bytes.
type Codec interface {
	Encode(r *Record) ([]byte, error)
}

// Book writes records.
type Book struct {
	spool Spool
	codec Codec
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
	payload, err := b.codec.Encode(&note)
	if err != nil {
		return fmt.Errorf("encode start: %w", err)
	}
	return b.spool.Start(r.ID, payload)
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

func (b *Book) end(r *Record) error {
	payload, err := b.codec.Encode(r)
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	return b.spool.End(r.ID, payload)
}
