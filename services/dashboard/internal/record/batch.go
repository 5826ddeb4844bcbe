package record

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/records"
)

// ErrRefused is in the chain when a ledger refuses the data itself: trying the
// same batch again will not help.
var ErrRefused = errors.New("the ledger refuses the data")

// Batch is what a ledger stores at once.
type Batch struct {
	Records []*Record
	Dead    []DeadLetter
	// Committed are the numbers of every record and dead letter, by producer.
	Committed map[string][]records.Range
}

// DeadLetter is an entry that could not be read.
type DeadLetter struct {
	Entry  records.Entry
	Reason string
}
