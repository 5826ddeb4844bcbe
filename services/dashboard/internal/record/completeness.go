package record

// Producer is what the store knows of one spool of a proxy.
type Producer struct {
	Name string
	// Highest is the highest number that has arrived. Numbers begin at 1. There
	// may be higher ones of which nothing has been heard yet.
	Highest int64
	// Stored is how many numbers the store holds, dead letters included.
	Stored int64
	// DeadLetters is how many of these could not be read.
	DeadLetters int64
}

// Missing is how many numbers below the highest are not stored. That is not
// always a loss: records may be on their way, and a spool that finds a part of
// itself damaged passes over the numbers which that part may have held.
func (p Producer) Missing() int64 { return p.Highest - p.Stored }
