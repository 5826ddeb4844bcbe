package recordcodec

import "github.com/signalbox/signalbox/services/proxy/internal/ledger"

// feedbackSchema is the schema of a record that contains feedback. A dashboard that does
// not know it parks the record instead of storing a request that never was.
const feedbackSchema = 2

// AppendFeedback encodes feedback on earlier requests.
func (Codec) AppendFeedback(dst []byte, f *ledger.Feedback) []byte {
	e := encoder{dst}
	e.writeInt(1, feedbackSchema)
	e.writeBytes(2, f.ID[:])
	e.writeText(5, f.AccountID)
	e.writeText(6, f.KeyID)
	e.writeText(7, f.KeyName)
	e.writeTime(8, f.Time)
	for i := range f.Items {
		item := &f.Items[i]
		at := e.openMessage(51)
		e.writeBytes(1, item.RequestID[:])
		e.writeInt(2, item.Score)
		e.writeText(3, item.Reason)
		e.writeText(4, item.Source)
		e.closeMessage(at)
	}
	return e.buf
}
