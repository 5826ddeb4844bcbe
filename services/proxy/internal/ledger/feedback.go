package ledger

import (
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/feedback"
)

// Feedback is one call of a client that says how good earlier responses were. It travels
// to the store like a record, but describes no request of its own.
type Feedback struct {
	// ID is the id of the call.
	ID        uuid.UUID
	AccountID string
	KeyID     string
	KeyName   string
	Time      time.Time
	Items     []feedback.Item
}

// WriteFeedback writes the feedback to the spool. If it returns nil, the feedback
// survives a crash of the process.
func (w *Writer) WriteFeedback(f *Feedback) error {
	return w.spool.End(f.ID, w.codec.AppendFeedback(make([]byte, w.headroom), f))
}
