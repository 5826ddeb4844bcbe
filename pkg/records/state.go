package records

import "time"

// ProducerState describes a spool, the log on disk in which a proxy stores records until the ledger
// has them. The proxy that owns the spool reports the state. If that proxy has died, the proxy that
// took over the spool reports it. The ledger uses the states to find records that never arrived.
type ProducerState struct {
	Producer string `json:"-"`
	// Host is the host name of the spool, for display.
	Host string `json:"host,omitempty"`
	// Written is the highest sequence number assigned so far.
	Written uint64 `json:"written"`
	// FirstUnstored is the lowest sequence number that the ledger is not known to have stored. The
	// spool holds this record and all later ones, and sends them until the ledger has stored them.
	FirstUnstored uint64 `json:"held"`
	// Lost counts records that were damaged or removed on the proxy's disk before the ledger stored
	// them.
	Lost uint64 `json:"lost,omitempty"`
	// Refused counts requests whose record could not be written to the spool.
	Refused uint64 `json:"refused,omitempty"`
	// At is the time of the report by the proxy's clock, which may be wrong or may be set back.
	At time.Time `json:"at"`
}

// EqualIgnoringTime reports whether the states are equal except for At.
func (s ProducerState) EqualIgnoringTime(o ProducerState) bool {
	s.At, o.At = time.Time{}, time.Time{}
	return s == o
}
