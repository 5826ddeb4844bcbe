package openai

// Forget makes the stream parse its next event, whatever it looks like.
func (s *Stream) Forget() { s.pattern = pattern{} }

// Held is how much of what was said is in memory.
func (t *Transcript) Held() int { return keptTexts*t.limit - t.room }
