package spool

import "time"

const (
	// probeEvery is how long a disk that refuses frames is left in peace.
	probeEvery = time.Second
	// probeBytes is more than most frames take, or a disk with room for a
	// header would count as mended.
	probeBytes = 64 << 10
)

// probe tries the disk when that is due, if it refused the last frame, and
// returns when to try again; zero if there is no need. It takes the way of a
// frame and cuts off what it wrote. Should the process die in between, the file
// ends with zeros, as one that grew before its bytes reached the disk.
func (j *journal) probe(due, now time.Time) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.failing || j.closed {
		return time.Time{}
	}
	if due.IsZero() {
		return now.Add(probeEvery)
	}
	if now.Before(due) {
		return due
	}
	off, err := j.write(make([]byte, probeBytes))
	if err != nil {
		return now.Add(probeEvery)
	}
	j.grow(j.segments[len(j.segments)-1], -probeBytes)
	j.undo(off)
	j.failing = false
	return time.Time{}
}
