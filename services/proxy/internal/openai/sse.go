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

// readAhead is how much is read at once: what comes together goes together.
const readAhead = 16 << 10

// readers have the buffers of streams that are over.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readAhead) }}

// Events reads server-sent events. Only their data and, for those who ask,
// their names count: comments, which upstreams send as keep-alive, and id and
// retry lines are passed over. JSON in their place is taken for one event.
type Events struct {
	body  io.ReadCloser
	lines lines
	// data is the event so far, and next the line that began another one
	// without the blank line between them.
	data, next []byte
	// name is that of the event, and nextName of the one after it.
	name, nextName []byte
	braces         braces
	// begun is set behind the first line that says anything, and plain if
	// that was JSON.
	begun, plain bool
	err          error

	once     sync.Once
	closeErr error
}

// LooksLikeEvents tells by the first letter of a text whether it may be an
// event stream: JSON and HTML begin with none of a field's name.
func LooksLikeEvents(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return len(head) > 0 && bytes.IndexByte([]byte(":deir"), head[0]) >= 0
}

// NewEvents reads events from r, which Close closes.
func NewEvents(r io.ReadCloser) *Events {
	buf := readers.Get().(*bufio.Reader) //nolint:forcetypeassert // nothing else is stored
	buf.Reset(r)
	return &Events{body: r, lines: lines{r: buf, max: maxEvent, first: true}}
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
	e.data = append(e.data[:0], e.next...)
	e.name = append(e.name[:0], e.nextName...)
	e.next, e.nextName, e.braces = e.next[:0], e.nextName[:0], braces{}
	for !isDone(e.data) {
		line, err := e.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return e.last()
		case err != nil:
			return e.fail(err)
		case len(line) == 0 && !e.plain:
			if len(bytes.TrimSpace(e.data)) > 0 {
				e.belated()
				return e.data, nil
			}
			e.data, e.name, e.braces = e.data[:0], e.name[:0], braces{}
		case e.add(line):
			return e.data, nil
		}
		if len(e.data) > maxEvent {
			return e.fail(errLongEvent())
		}
	}
	return e.fail(io.EOF)
}

func errLongEvent() error { return invalidResponse("an event is longer than 16 MiB") }

// add puts a line's data to the event. It returns true if the event was
// already whole: some upstreams leave out the blank line.
func (e *Events) add(line []byte) bool {
	if !e.begun {
		text := bytes.TrimLeft(line, " \t")
		e.begun = len(text) > 0
		e.plain = e.begun && text[0] == '{'
	}
	if e.plain {
		e.data = append(append(e.data, line...), '\n')
		return false
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		e.called(line)
		return false
	}
	data = bytes.TrimPrefix(data, []byte(" "))
	if len(e.data) == 0 {
		e.data = append(e.data, data...)
		return false
	}
	if (isDone(data) || len(data) > 0 && data[0] == '{') && e.whole() {
		e.next = append(e.next, data...)
		return true
	}
	e.data = append(append(e.data, '\n'), data...)
	return false
}

// whole tells whether the event so far is an object. It is asked again and
// again as the event grows, and must not read all of it every time.
func (e *Events) whole() bool {
	return e.braces.close(e.data) && jsontext.Value(e.data).IsValid(lenient...)
}

// maxDone is more than anybody puts around [DONE].
const maxDone = 64

func isDone(data []byte) bool {
	return len(data) <= maxDone && string(bytes.TrimSpace(data)) == "[DONE]"
}

func (e *Events) fail(err error) ([]byte, error) {
	e.end(err)
	return nil, err
}

// end is that of reading: from here on nobody looks at the buffer.
func (e *Events) end(err error) {
	e.err = err
	e.lines.r.Reset(nil)
	readers.Put(e.lines.r)
	e.lines.r = nil
}

// last judges what was read when the stream ended in the midst of an event:
// some upstreams leave out the last blank line, others broke off.
func (e *Events) last() ([]byte, error) {
	e.end(ErrNoDone)
	if !jsontext.Value(e.data).IsValid(lenient...) {
		return nil, e.err
	}
	return e.data, nil
}
