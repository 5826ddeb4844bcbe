package records

import "time"

// ProducerState describes a spool, the proxy's log of records on disk. The spool's
// producer reports it, or the process that adopted the spool. The state reveals records
// that never arrived.
type ProducerState struct {
	Producer string `json:"-"`
	// Host is the host name of the spool, for display.
	Host string `json:"host,omitempty"`
	// Written is the highest sequence number assigned so far.
	Written uint64 `json:"written"`
	// FirstUnstored is the lowest number that is not known to be stored. The spool holds
	// this record and all later ones, and sends them until they are stored.
	FirstUnstored uint64 `json:"held"`
	// Lost counts records that were damaged in the spool before they were stored.
	Lost uint64 `json:"lost,omitempty"`
	// Refused counts requests whose record could not be written.
	Refused uint64 `json:"refused,omitempty"`
	// At is the time of the report by the producer's clock. The clock may be set back, so
	// At only distinguishes reports.
	At time.Time `json:"at"`
}

// EqualIgnoringTime reports whether the states are equal except for At.
func (s ProducerState) EqualIgnoringTime(o ProducerState) bool {
	s.At, o.At = time.Time{}, time.Time{}
	return s == o
}
