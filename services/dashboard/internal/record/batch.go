package record

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// ErrRefused is in the chain when a ledger refuses the data itself: trying the
// same batch again will not help.
var ErrRefused = errors.New("the ledger refuses the data")

// Batch is what a ledger stores at once.
type Batch struct {
	Records []*Record
	Dead    []DeadLetter
	// Revived are dead letters that are among the records now.
	Revived []LetterID
	// Committed are the numbers of every record and dead letter, by producer.
	Committed map[string][]records.Range
}

// LetterID names a dead letter, as the ledger does.
type LetterID struct {
	Producer string
	Seq      int64
}

// Compare orders by producer, then number.
func (a LetterID) Compare(b LetterID) int {
	return cmp.Or(strings.Compare(a.Producer, b.Producer), cmp.Compare(a.Seq, b.Seq))
}

// DeadLetter is an entry that could not be read.
type DeadLetter struct {
	Entry  records.Entry
	Reason string
	// Parked is whether a newer version may read it: it is of a schema that is
	// not known, and not broken.
	Parked bool
	// Schema is the one it is of, as far as that is known.
	Schema uint32

	// ID and Received are set by the ledger.
	ID       LetterID
	Received time.Time
	// Size is the length of the record, which need not be there itself.
	Size int64
}
