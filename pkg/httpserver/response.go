package httpserver

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// exchange is one request and its response. Both are in one piece of memory.
type exchange struct {
	body     requestBody
	response response
}

// response implements http.ResponseWriter and the methods that http.ResponseController looks for. A
// handler sets deadlines in the goroutine that reads or writes.
type response struct {
	c *conn
	// mu protects the following fields from a handler that still writes after it has returned.
	mu     sync.Mutex
	body   *requestBody
	header http.Header
	// isHead means that the request is HEAD, so that the response has no body.
	isHead, isHTTP10 bool
	status           int
	// declared is the Content-Length that the handler has set, or -1.
	declared int64
	written  int64
	// trailers are the names of the headers that follow the body.
	trailers []string
	// out holds bytes that are not sent yet. It is nil if there are none.
	out *output
	// sentHead means that the headers were sent.
	sentHead bool
	// chunked means that the body is sent in chunks, because its length is not known.
	chunked bool
	// last means that the connection is closed after the response.
	last bool
	// gathering means that Flush does not send. See Gather.
	gathering bool
	// done means that the handler has returned.
	done bool
	// hasType means that the handler has set the type of the body.
	hasType bool
	err     error
}

// output is memory for what is sent next.
type output struct {
	// head holds the headers, later what precedes a chunk. Whatever is small is sent together with it.
	head []byte
	body []byte
}

const (
	// maxBuffer is how much of a body is buffered before it is sent.
	maxBuffer = 64 << 10
	// maxCopy is the size up to which it is cheaper to copy the body behind the headers than to pass
	// both to the system.
	maxCopy = 16 << 10
	// sniffed is how much of a body its type is guessed from.
	sniffed = 512
	// maxKept limits the memory that is kept for the next response.
	maxKept = 128 << 10
)

var outputPool = sync.Pool{New: func() any { return &output{head: make([]byte, 0, 2<<10)} }}

var errHandlerReturned = errors.New("http: the handler has returned")

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. It ignores informational responses, which no handler
// sends, and calls after the first one.
func (w *response) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if status >= http.StatusOK && !w.done {
		w.start(status)
	}
}

// start encodes the headers, unless that has been done.
func (w *response) start(status int) {
	if w.status == 0 {
		w.status = status
		w.encodeHead()
	}
}

// Write implements http.ResponseWriter. It buffers the bytes, except if they complete the response.
func (w *response) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return 0, errHandlerReturned
	}
	w.start(http.StatusOK)
	n := len(p)
	switch {
	case w.err != nil:
		return 0, w.err
	case !allowsBody(w.status):
		return 0, http.ErrBodyNotAllowed
	case w.declared >= 0 && w.written+int64(n) > w.declared:
		return 0, http.ErrContentLength
	}
	w.written += int64(n)
	switch {
	case w.isHead:
		p = p[:min(n, max(0, sniffed-w.buffered()))]
	case w.written == w.declared && n > maxCopy || w.buffered()+n > maxBuffer:
		return n, w.send(p, false)
	}
	out := w.output()
	out.body = append(out.body, p...)
	return n, nil
}

// WriteString implements io.StringWriter.
func (w *response) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// Flush implements http.Flusher.
func (w *response) Flush() { _ = w.FlushError() }

// FlushError sends what is buffered, except after Gather.
func (w *response) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return errHandlerReturned
	}
	return w.flush()
}

func (w *response) flush() error {
	w.start(http.StatusOK)
	if w.gathering {
		return w.err
	}
	return w.send(nil, false)
}

// SetReadDeadline sets the deadline of reading the body. It has no effect after the body.
func (w *response) SetReadDeadline(t time.Time) error {
	if !w.body.ended {
		w.c.readDeadline = t
	}
	return nil
}

// SetWriteDeadline sets the deadline of the next and all following writes of the response.
func (w *response) SetWriteDeadline(t time.Time) error {
	w.c.writeDeadline = t
	return nil
}

// finish sends the rest of the response. It reports whether the connection can be kept.
func (w *response) finish() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = true
	w.start(http.StatusOK)
	complete := w.declared < 0 || w.written == w.declared || w.isHead || !allowsBody(w.status)
	w.last = w.last || !complete
	err := w.send(nil, complete)
	if err == nil && w.last && !w.body.ended {
		w.c.linger()
	}
	return err == nil && !w.last
}

func allowsBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// Gather buffers the response until Release is called, the response is complete, or the buffer is full,
// although the handler flushes. It saves system calls. For a writer that is not from Serve, it does nothing.
func Gather(w http.ResponseWriter) {
	if w, ok := w.(*response); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.gathering = true
	}
}

// Release sends the bytes that Gather buffered.
func Release(w http.ResponseWriter) error {
	r, ok := w.(*response)
	if !ok {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gathering {
		return nil
	}
	r.gathering = false
	return r.flush()
}
