package record

// Producer is what the store can prove of one spool of a proxy.
type Producer struct {
	Name string
	// Sent is the highest number seen; numbers begin at 1 and have no gaps.
	Sent int64
	// Stored is how many of them the store holds, dead letters included.
	Stored int64
	// DeadLetters is how many of these could not be read.
	DeadLetters int64
}

// Missing is how many records are known to exist and are not stored. While
// records are on their way it is not a loss.
func (p Producer) Missing() int64 { return p.Sent - p.Stored }
