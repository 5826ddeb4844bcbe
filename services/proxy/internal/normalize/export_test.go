package normalize

// Forget makes the stream parse its next event, even if it matches the pattern.
func (s *Stream) Forget() { s.pattern = framePattern{} }

// Held returns how many bytes of output are in memory.
func (t *Transcript) Held() int { return storageFactor*t.limit - t.remaining }
