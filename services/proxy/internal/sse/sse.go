// Package sse reads server-sent events, the format in which upstreams stream responses.
//
// A Reader returns the data and the name of each event. It accepts what upstreams really
// send: missing blank lines, any line ending, and a JSON object instead of a stream. The
// length of an event is limited. LooksLikeStream tells an event stream from other bodies.
//
// The package interprets the data of events only to recognize heartbeats. The provider
// adapters and package normalize use it.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// ErrNoDone means that a stream ended without [DONE]. The response may still be
// complete: the caller decides.
var ErrNoDone = errors.New("the stream ended without [DONE]")

// maxEventBytes is the maximum length of an event. An image can arrive as one event
// of several megabytes.
const maxEventBytes = 16 << 20

// readBufferSize is the maximum number of bytes read at once. Events that arrive
// together are forwarded together.
const readBufferSize = 16 << 10

// readerPool reuses the read buffers of finished streams.
var readerPool = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBufferSize) }}

// Reader reads server-sent events: their data and names. It skips id and retry lines. A
// JSON object instead of an event stream is returned as one event.
type Reader struct {
	body  io.ReadCloser
	lines lineReader
	// data is the data of the current event. nextData is the data line of the next
	// event if the blank line between the two was missing.
	data, nextData []byte
	// name is the name of the current event. nextName is a name that came after the
	// data: see noteEventName.
	name, nextName []byte
	braces         braceTracker
	// started is set after the first line with content. isJSON is set if that line
	// started a JSON object.
	started, isJSON bool
	err             error

	closeOnce sync.Once
	closeErr  error
}

// LooksLikeStream reports whether a text may be an event stream. It checks the
// first character only: neither JSON nor HTML starts with the first letter of an SSE
// field name or with a colon.
func LooksLikeStream(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return len(head) > 0 && bytes.IndexByte([]byte(":deir"), head[0]) >= 0
}

// NewReader returns a reader of the events in r. Close closes r.
func NewReader(r io.ReadCloser) *Reader {
	buf := readerPool.Get().(*bufio.Reader) //nolint:forcetypeassert // nothing else is stored
	buf.Reset(r)
	return &Reader{body: r, lines: lineReader{r: buf, maxLength: maxEventBytes, atStart: true}}
}

// Close closes the underlying reader. It is safe for concurrent use and can be
// called more than once.
func (e *Reader) Close() error {
	e.closeOnce.Do(func() { e.closeErr = e.body.Close() })
	return e.closeErr
}

// Next returns the data of the next event. The data is valid until the next call. It is
// empty, but not nil, for a heartbeat: see isHeartbeat. At the end Next returns io.EOF after
// [DONE], or else ErrNoDone. For an event above 16 MiB it returns
// PROVIDER_INVALID_RESPONSE. Other errors come from the underlying reader. After an error,
// every call returns the same error. Use Next from one goroutine.
func (e *Reader) Next() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	if data := e.takeSimpleEvent(); data != nil {
		return data, nil
	}
	e.data = append(e.data[:0], e.nextData...)
	e.name = append(e.name[:0], e.nextName...)
	e.nextData, e.nextName, e.braces = e.nextData[:0], e.nextName[:0], braceTracker{}
	for !isDoneMark(e.data) {
		line, err := e.lines.readLine()
		switch {
		case errors.Is(err, io.EOF):
			return e.finishAtEOF()
		case err != nil:
			return e.fail(err)
		case len(line) == 0 && !e.isJSON:
			if e.hasEvent() {
				e.applyLateName()
				return e.payload(), nil
			}
			e.data, e.braces = e.data[:0], braceTracker{}
		case e.isIdleLine(line):
			e.started = true
			return heartbeat, nil
		case e.addLine(line):
			return e.payload(), nil
		}
		if len(e.data) > maxEventBytes {
			return e.fail(errEventTooLong())
		}
	}
	return e.fail(io.EOF)
}

func errEventTooLong() error { return upstreamerror.InvalidResponse("an event is longer than 16 MiB") }

// addLine adds a line to the event. It returns true if the line belongs to the next
// event, because some upstreams omit the blank line between events.
func (e *Reader) addLine(line []byte) bool {
	if !e.started {
		text := bytes.TrimLeft(line, " \t")
		e.started = len(text) > 0
		e.isJSON = e.started && text[0] == '{'
	}
	if e.isJSON {
		e.data = append(append(e.data, line...), '\n')
		return false
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		e.noteEventName(line)
		return false
	}
	data = bytes.TrimPrefix(data, []byte(" "))
	switch {
	case len(e.data) == 0, (isDoneMark(data) || startsObject(data)) && !startsJSON(e.data):
		// In the second case, the data so far is a heartbeat without a blank line after it.
		e.data = append(e.data[:0], data...)
	case len(bytes.TrimSpace(data)) > 0 && e.isCompleteObject():
		e.nextData = append(e.nextData, data...)
		return true
	default:
		e.data = append(append(e.data, '\n'), data...)
	}
	return false
}

// isCompleteObject reports whether the data has just become a complete JSON object. It is
// called often while an event grows, so it does not read all data again each time.
func (e *Reader) isCompleteObject() bool {
	return e.braces.closesFirstObject(e.data) && jsonscan.Valid(e.data)
}

// maxDoneLength is more than the length of [DONE] with the usual white space around it.
const maxDoneLength = 64

func isDoneMark(data []byte) bool {
	return len(data) <= maxDoneLength && string(bytes.TrimSpace(data)) == "[DONE]"
}

func (e *Reader) fail(err error) ([]byte, error) {
	e.stopReading(err)
	return nil, err
}

// stopReading sets the final error and returns the buffer to the pool.
func (e *Reader) stopReading(err error) {
	e.err = err
	e.lines.r.Reset(nil)
	readerPool.Put(e.lines.r)
	e.lines.r = nil
}

// finishAtEOF handles a stream that ended inside an event. Some upstreams only omit
// the last blank line. If the data is not valid JSON, the stream was cut off.
func (e *Reader) finishAtEOF() ([]byte, error) {
	e.stopReading(ErrNoDone)
	if !jsonscan.Valid(e.data) {
		return nil, e.err
	}
	return e.payload(), nil
}
