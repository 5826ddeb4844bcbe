package spool

import "time"

const (
	// probeInterval is the pause between probes of a disk on which writes fail.
	probeInterval = time.Second
	// probeBytes is larger than most frames, so that a disk with space for only
	// a few bytes does not count as recovered.
	probeBytes = 64 << 10
)

// probeDisk checks, once due is reached, whether a failing disk accepts data
// again. It returns the time of the next probe, or zero if no probe is needed. A
// probe appends zeros and then truncates the file. If the process dies in between,
// recovery treats the zeros like a partial frame.
func (j *journal) probeDisk(due, now time.Time) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.writeFailing || j.closed {
		return time.Time{}
	}
	if due.IsZero() {
		return now.Add(probeInterval)
	}
	if now.Before(due) {
		return due
	}
	off, err := j.appendBytes(make([]byte, probeBytes))
	if err != nil {
		return now.Add(probeInterval)
	}
	j.addSize(j.segments[len(j.segments)-1], -probeBytes)
	j.truncateTo(off)
	j.writeFailing = false
	return time.Time{}
}
