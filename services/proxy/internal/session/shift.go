package session

import (
	"slices"
	"time"
)

// Shifted returns the state with all its times moved by d. A process uses it for a state that
// was written by another clock. Times before 1970, and those that are not set, stay 0.
func (s *State) Shifted(d time.Duration) *State {
	next := *s
	next.LastAt, next.Expires = shiftTime(s.LastAt, d.Milliseconds()), shiftTime(s.Expires, d.Milliseconds())
	next.Conversations = slices.Clone(s.Conversations)
	for i := range next.Conversations {
		next.Conversations[i].At = shiftTime(next.Conversations[i].At, d.Milliseconds())
	}
	next.Cached = slices.Clone(s.Cached)
	for i := range next.Cached {
		next.Cached[i].Expires = shiftTime(next.Cached[i].Expires, int64(d/time.Second))
	}
	return &next
}

func shiftTime(at, by int64) int64 {
	if at == 0 {
		return 0
	}
	return max(0, at+by)
}

// NotAfter returns the state as it is if its last turn ended before now. Otherwise the clock that
// wrote it was ahead, and the state is shifted so that its last turn ended now. Without this, it
// would expire late.
func (s *State) NotAfter(now time.Time) *State {
	if s.LastAt > now.UnixMilli() {
		return s.Shifted(time.Duration(now.UnixMilli()-s.LastAt) * time.Millisecond)
	}
	if latest := now.Add(IdleLifetime).UnixMilli(); s.LastAt == 0 && s.Expires > latest {
		next := *s
		next.Expires = latest
		return &next
	}
	return s
}
