package record

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
)

// ErrRejected means that the data itself is invalid. Retrying the same batch
// cannot succeed.
var ErrRejected = errors.New("the data is invalid")

// Batch is the unit that a ledger stores in one transaction.
type Batch struct {
	Records     []*Record
	DeadLetters []DeadLetter
	// Evidence may concern requests of this batch, of earlier ones and of later ones. The
	// ledger stores an item only for a request of the same account.
	Evidence []evidence.Item
	// Comparisons are the results of experiments.
	Comparisons []evidence.Comparison
	// Unexamined holds the records whose responses were not searched for signals, for lack
	// of time. They do not count as responses without a signal.
	Unexamined map[uuid.UUID]bool
	// Replayed lists the dead letters whose records are now in Records, or whose
	// feedback is now in Evidence. The ledger
	// deletes these dead letters in the same transaction.
	Replayed []DeadLetterID
	// Committed holds, by producer, the sequence numbers that are stored once the
	// batch is stored. It has no numbers of damaged entries and of Replayed.
	Committed map[string][]records.Range
}

// DeadLetterID identifies a dead letter in the ledger.
type DeadLetterID struct {
	Producer string
	Seq      int64
}

// Compare orders dead letters by producer, then by sequence number.
func (a DeadLetterID) Compare(b DeadLetterID) int {
	return cmp.Or(strings.Compare(a.Producer, b.Producer), cmp.Compare(a.Seq, b.Seq))
}

// DeadLetter is an entry that could not be decoded or stored.
type DeadLetter struct {
	Entry  records.Entry
	Reason string
	// Parked is true if the entry is intact, but has a newer schema than this
	// version supports. A newer version of this program can decode the entry.
	Parked bool
	// Schema is the entry's schema version, 0 if unknown.
	Schema uint32

	// The ledger sets ID and Received.
	ID       DeadLetterID
	Received time.Time
	// Size is the length of the encoded record in bytes. In a list of dead letters,
	// Size is set although the list omits the record itself.
	Size int64
}
