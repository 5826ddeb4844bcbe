package normalize

import (
	"bytes"
	"errors"
	"io"

	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// maxCollected limits the size of a collected stream. Plain responses have the same
// limit.
const maxCollected = 32 << 20

// Collector turns a stream into a plain response. It is used if an upstream
// streams although the client did not request a stream. Use it from one goroutine.
type Collector struct {
	*Stream
	options   Options
	frames    []byte
	assembler responseAssembler
}

// NewCollector returns an empty collector.
func NewCollector(o Options) *Collector {
	s := NewStream(StreamOptions{ID: o.ID, Created: o.Created, Model: o.Model, Choices: o.Choices})
	return &Collector{Stream: s, options: o}
}

// AddEvent adds one event. It fails like Stream.AppendEvent. It also fails with
// PROVIDER_INVALID_RESPONSE once the stream exceeds 32 MiB.
func (c *Collector) AddEvent(payload []byte) (err error) {
	if c.frames, err = c.AppendEvent(c.frames[:0], payload); err != nil {
		return err
	}
	return c.assembler.addFrames(c.frames)
}

// Response returns the complete response. It fails like Stream.Finish.
func (c *Collector) Response() (Response, error) {
	last, err := c.Finish(c.frames[:0])
	if err != nil {
		return Response{}, err
	}
	if err := c.assembler.addFrames(bytes.TrimSuffix(last, []byte(doneFrame))); err != nil {
		return Response{}, err
	}
	for _, m := range c.carried.members {
		c.assembler.extra.set(m.rawName, m.data)
	}
	return buildChatResponse(c.assembler.encodeBody(), c.options, &c.usage)
}

// Collect reads all events and returns a plain response. It fails like
// AddEvent, Response and src.Next.
func Collect(src interface{ Next() ([]byte, error) }, o Options) (Response, error) {
	c := NewCollector(o)
	for {
		payload, err := src.Next()
		switch {
		case errors.Is(err, io.EOF):
			c.MarkDone()
			return c.Response()
		case errors.Is(err, sse.ErrNoDone):
			return c.Response()
		case err != nil:
			return Response{}, err
		}
		if err := c.AddEvent(payload); err != nil {
			return Response{}, err
		}
	}
}
