package egress

import (
	"errors"
	"io"
	"net/http/httputil"
	"sync/atomic"
	"time"
)

const (
	// restWithin is how long the few bytes behind the wanted part of an answer
	// are waited for; without them the connection cannot be used again.
	restWithin = 50 * time.Millisecond
	maxRest    = 4 << 10
)

// Body is the body of an answer. Read to its end, it gives its connection
// back; closed before that, it drops it. Close may be called at any time, from
// any goroutine, more than once; Read and Finish are for one goroutine.
type Body struct {
	conn *conn
	// chunks is nil where the body does not come in chunks, behind which there
	// is a trailer.
	chunks io.Reader
	// left is what is still to come; -1 where the connection's end tells.
	left int64
	keep bool
	// detach lets go of ctx, and reports whether that was in time.
	detach func() bool
	// finished is set when ctx has no more say, done when the connection has
	// been given back or dropped.
	finished, done atomic.Bool
}

func newBody(c *conn, h head, detach func() bool) *Body {
	b := &Body{conn: c, left: h.length, keep: !h.last, detach: detach}
	if h.chunked {
		// net/http's body holds back the last chunk until the trailer is there.
		b.chunks = httputil.NewChunkedReader(c.r)
	}
	if h.length == 0 {
		b.end()
	}
	return b
}

// Read gives the connection back with the last byte. It waits for nothing once
// something is there, nor for what may follow the last byte.
func (b *Body) Read(p []byte) (int, error) {
	if b.done.Load() {
		return 0, io.EOF
	}
	n, err := b.read(p)
	if errors.Is(err, io.EOF) {
		b.end()
	}
	return n, err
}

// read is Read that keeps the connection. It tells the end with the last byte
// where it knows the length.
func (b *Body) read(p []byte) (int, error) {
	switch {
	case b.chunks != nil:
		return b.chunks.Read(p)
	case b.left < 0:
		return b.conn.r.Read(p)
	}
	n, err := b.conn.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	switch {
	case b.left == 0:
		err = io.EOF
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// end keeps the connection if nothing speaks against it: it may have been
// closed, or ctx may have ended, while the last bytes were read.
func (b *Body) end() {
	if !b.done.CompareAndSwap(false, true) {
		return
	}
	if free := b.finished.Load() || b.detach(); !free || !b.keep {
		_ = b.conn.Close()
		return
	}
	if b.chunks != nil && !b.emptyTrailer() {
		_ = b.conn.SetReadDeadline(time.Now().Add(b.conn.pool.rest))
		go b.back(b.trailer)
		return
	}
	b.back(nil)
}

// back gives the connection back when last, if there is one, has read to the
// very end.
func (b *Body) back(last func() bool) {
	if (last == nil || last()) && b.conn.r.Buffered() == 0 {
		b.conn.pool.put(b.conn)
		return
	}
	_ = b.conn.Close()
}

// Close drops the connection, unless the answer was read to its end or
// finished.
func (b *Body) Close() error {
	if b.finished.Load() {
		return nil
	}
	return b.drop()
}

func (b *Body) drop() error {
	if !b.done.CompareAndSwap(false, true) {
		return nil
	}
	b.detach()
	return b.conn.Close()
}

// Finish is for a caller who has all it wanted: what little is left of the
// answer is read, waited for by nobody, and the connection kept if that was
// all. The caller's context has no more say.
func (b *Body) Finish() {
	if b.done.Load() {
		return
	}
	if !b.detach() {
		_ = b.Close()
		return
	}
	b.finished.Store(true)
	_ = b.conn.SetReadDeadline(time.Now().Add(b.conn.pool.rest))
	go b.rest()
}

func (b *Body) rest() {
	_, _ = io.CopyN(io.Discard, b, maxRest)
	_ = b.drop()
}
