package spool

import "time"

const (
	// probeInterval is the pause between probes of a disk that refuses frames.
	probeInterval = time.Second
	// probeBytes is larger than most frames, so that a disk with space for only
	// a few bytes does not count as recovered.
	probeBytes = 64 << 10
)

// probeDisk checks, when due, whether a disk that refused the last frame accepts
// data again. It returns when to probe next, or zero if no probe is needed. It
// appends like a frame and truncates the file afterwards. If the process dies in
// between, the file ends with zeros, which recovery treats as a torn tail.
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
