package normalize

import "sync"

// maxPooledPayload limits the events in bytes whose memory is reused, so that one large event does
// not occupy memory for long.
const maxPooledPayload = 64 << 10

var streamPool = sync.Pool{New: func() any { return new(Stream) }}

// Release ends the use of the stream and of its Transcript.
func (s *Stream) Release() {
	if cap(s.payload) > maxPooledPayload || cap(s.held.payload) > maxPooledPayload {
		return
	}
	clear(s.states)
	// Only empty buffers are kept. No value of this stream may reach another one.
	*s = Stream{
		head: s.head[:0], states: s.states[:0], payload: s.payload[:0], chunk: s.chunk.emptied(),
		held: heldChunk{payload: s.held.payload[:0], chunk: s.held.chunk.emptied()}, pattern: s.pattern.emptied(),
	}
	streamPool.Put(s)
}

// emptied returns a chunk with the buffers of c.
func (c *chunk) emptied() chunk {
	c.Reset(nil, true)
	return chunk{Reader: c.Reader, choices: c.choices[:0], extra: c.extra[:0]}
}

// emptied returns a pattern that no event matches, with the buffers of p.
func (p *framePattern) emptied() framePattern {
	return framePattern{before: p.before[:0], after: p.after[:0], head: p.head[:0], tail: p.tail[:0]}
}
