package openai

import (
	"bytes"
	"errors"
	"io"
)

// maxCollected limits the size of a collected stream. Plain responses have the same
// limit.
const maxCollected = 32 << 20

// StreamCollector turns a stream into a plain response. It is used if an upstream
// streams although the client did not request a stream. Use it from one goroutine.
type StreamCollector struct {
	*Stream
	options   ResponseOptions
	frames    []byte
	assembler responseAssembler
}

// NewStreamCollector returns an empty collector.
func NewStreamCollector(o ResponseOptions) *StreamCollector {
	s := NewStream(StreamOptions{ID: o.ID, Created: o.Created, Model: o.Model, Choices: o.Choices})
	return &StreamCollector{Stream: s, options: o}
}

// AddEvent adds one event. It fails like Stream.AppendEvent. It also fails with
// PROVIDER_INVALID_RESPONSE once the stream exceeds 32 MiB.
func (c *StreamCollector) AddEvent(payload []byte) (err error) {
	if c.frames, err = c.AppendEvent(c.frames[:0], payload); err != nil {
		return err
	}
	return c.assembler.addFrames(c.frames)
}

// Response returns the complete response. It fails like Stream.Finish.
func (c *StreamCollector) Response() (Response, error) {
	last, err := c.Finish(c.frames[:0])
	if err != nil {
		return Response{}, err
	}
	if err := c.assembler.addFrames(bytes.TrimSuffix(last, []byte(doneFrame))); err != nil {
		return Response{}, err
	}
	return buildChatResponse(c.assembler.encodeBody(), c.options, &c.usage)
}

// CollectStream reads all events and returns a plain response. It fails like
// AddEvent, Response and src.Next.
func CollectStream(src interface{ Next() ([]byte, error) }, o ResponseOptions) (Response, error) {
	c := NewStreamCollector(o)
	for {
		payload, err := src.Next()
		switch {
		case errors.Is(err, io.EOF):
			c.MarkDone()
			return c.Response()
		case errors.Is(err, ErrNoDone):
			return c.Response()
		case err != nil:
			return Response{}, err
		}
		if err := c.AddEvent(payload); err != nil {
			return Response{}, err
		}
	}
}
