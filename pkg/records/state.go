package records

import "time"

// State is what a producer tells of itself, or who has taken over its spool
// does: without it nobody would know of records that never arrived.
type State struct {
	Producer string `json:"-"`
	// Host is where the spool is, for people.
	Host string `json:"host,omitempty"`
	// Written is the highest number that was given to a record.
	Written uint64 `json:"written"`
	// Held is the first number of those that are not known to be stored: it
	// and all above are still held, and are sent until they are.
	Held uint64 `json:"held"`
	// Lost are the records of the spool that were damaged before they were
	// stored. Refused are the requests of which no record could be kept.
	Lost    uint64 `json:"lost,omitempty"`
	Refused uint64 `json:"refused,omitempty"`
	// At is when this was so, by the producer's clock, which may be set back: it
	// only tells one state from another.
	At time.Time `json:"at"`
}

// Same reports whether nothing but the time differs.
func (s State) Same(o State) bool {
	s.At, o.At = time.Time{}, time.Time{}
	return s == o
}
