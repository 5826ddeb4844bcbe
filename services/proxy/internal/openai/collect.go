package openai

import (
	"bytes"
	"errors"
	"io"
)

// maxCollected bounds what Collect holds in memory, as the reader of plain
// answers is bounded.
const maxCollected = 32 << 20

// Collection makes a plain answer of a stream, for an upstream that streams to
// a client that did not ask for it. It is for one goroutine.
type Collection struct {
	*Stream
	options AnswerOptions
	frames  []byte
	all     gathered
}

// NewCollection starts one.
func NewCollection(o AnswerOptions) *Collection {
	s := NewStream(StreamOptions{ID: o.ID, Created: o.Created, Model: o.Model, Choices: o.Choices})
	return &Collection{Stream: s, options: o}
}

// Add takes one event. Errors are those of Stream.Event, and
// PROVIDER_INVALID_RESPONSE for more than 32 MiB.
func (c *Collection) Add(payload []byte) (err error) {
	if c.frames, err = c.Event(c.frames[:0], payload); err != nil {
		return err
	}
	return c.all.add(c.frames)
}

// Answer is all of it. Errors are those of Stream.Finish.
func (c *Collection) Answer() (Answer, error) {
	last, err := c.Finish(c.frames[:0])
	if err != nil {
		return Answer{}, err
	}
	if err := c.all.add(bytes.TrimSuffix(last, []byte(doneFrame))); err != nil {
		return Answer{}, err
	}
	return chatAnswer(c.all.body(), c.options, &c.usage)
}

// Collect makes a plain answer of all events up to their end. Errors are those
// of Add, Answer and Next.
func Collect(src interface{ Next() ([]byte, error) }, o AnswerOptions) (Answer, error) {
	c := NewCollection(o)
	for {
		payload, err := src.Next()
		switch {
		case errors.Is(err, io.EOF):
			c.Done()
			return c.Answer()
		case errors.Is(err, ErrNoDone):
			return c.Answer()
		case err != nil:
			return Answer{}, err
		}
		if err := c.Add(payload); err != nil {
			return Answer{}, err
		}
	}
}
