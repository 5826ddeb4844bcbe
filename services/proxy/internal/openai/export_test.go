package openai

// Forget makes the stream parse its next event, whatever it looks like.
func (s *Stream) Forget() { s.pattern = pattern{} }
