package records

import "time"

// ProducerState describes a spool, as reported by its producer or by the process that
// adopted it. It reveals records that never arrived.
type ProducerState struct {
	Producer string `json:"-"`
	// Host is the host name of the spool, for display.
	Host string `json:"host,omitempty"`
	// Written is the highest sequence number assigned so far.
	Written uint64 `json:"written"`
	// FirstUnstored is the lowest number not known to be stored. The spool holds it and
	// all higher ones, and sends them until they are stored.
	FirstUnstored uint64 `json:"held"`
	// Lost counts records that were damaged in the spool before they were stored.
	// Refused counts requests whose record could not be written.
	Lost    uint64 `json:"lost,omitempty"`
	Refused uint64 `json:"refused,omitempty"`
	// At is the time of the report by the producer's clock, which may be set back. It
	// only distinguishes reports.
	At time.Time `json:"at"`
}

// EqualIgnoringTime reports whether only the time differs.
func (s ProducerState) EqualIgnoringTime(o ProducerState) bool {
	s.At, o.At = time.Time{}, time.Time{}
	return s == o
}
