package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNoDone is the end of a stream that did not say [DONE]. Whether anything
// is missing is told by the finish reason: see Stream.Finish.
var ErrNoDone = errors.New("the stream ended without [DONE]")

// maxEvent is the longest event we take. Pictures come as one event of
// several megabytes.
const maxEvent = 16 << 20

// Events reads server-sent events. Only their data counts: comments, which
// upstreams send as keep-alive, and event, id and retry lines are passed over.
type Events struct {
	body io.ReadCloser
	r    *bufio.Reader
	data []byte
	err  error

	once     sync.Once
	closeErr error
}

// NewEvents reads events from r, which Close closes.
func NewEvents(r io.ReadCloser) *Events {
	return &Events{body: r, r: bufio.NewReader(r)}
}

// Close closes the reader. It is safe at any time, from any goroutine, and
// more than once.
func (e *Events) Close() error {
	e.once.Do(func() { e.closeErr = e.body.Close() })
	return e.closeErr
}

// Next returns the data of the next event, valid until the next call. The end
// is io.EOF after [DONE] and ErrNoDone without it; an event of more than 16
// MiB is PROVIDER_INVALID_RESPONSE; other errors are the reader's own. Errors
// stick. Next is for one goroutine.
func (e *Events) Next() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	e.data = e.data[:0]
	for {
		end, err := e.line()
		switch {
		case errors.Is(err, io.EOF):
			return e.last()
		case err != nil:
			return e.fail(err)
		case end && string(e.data) == "[DONE]":
			return e.fail(io.EOF)
		case end && len(e.data) > 0:
			return e.data, nil
		}
	}
}

func (e *Events) fail(err error) ([]byte, error) {
	e.err = err
	return nil, err
}

// last judges what was read when the stream ended in the midst of an event:
// some upstreams leave out the last blank line, others broke off.
func (e *Events) last() ([]byte, error) {
	e.err = ErrNoDone
	if string(e.data) == "[DONE]" {
		e.err = io.EOF
		return nil, e.err
	}
	if !jsontext.Value(e.data).IsValid(lenient) {
		return nil, e.err
	}
	return e.data, nil
}

// line reads one line, adding what it has of data, and tells whether it ends
// an event.
func (e *Events) line() (end bool, err error) {
	line, err := e.r.ReadSlice('\n')
	if len(line) == 0 {
		return false, err
	}
	line, isData := dataOf(line)
	if isData && len(e.data) > 0 {
		e.data = append(e.data, '\n')
	}
	long := false
	for {
		if isData {
			e.data = append(e.data, line...)
		}
		if len(e.data) > maxEvent {
			return false, invalidResponse("an event is longer than 16 MiB")
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		long = true
		line, err = e.r.ReadSlice('\n')
	}
	e.data = bytes.TrimRight(e.data, "\r\n")
	return !long && !isData && len(line) == 0, err
}

// dataOf cuts the field name off a line's beginning.
func dataOf(line []byte) ([]byte, bool) {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return bytes.TrimRight(line, "\r\n"), false
	}
	return bytes.TrimPrefix(data, []byte(" ")), true
}
