package egress

import (
	"errors"
	"io"
	"net/http/httputil"
	"sync/atomic"
	"time"
)

const (
	// trailingBytesTimeout is how long to wait for the few bytes after the part of a response
	// that the caller needs. If these bytes are not read, the connection cannot be reused.
	trailingBytesTimeout = 50 * time.Millisecond
	// maxTrailingBytes is the maximum number of these bytes.
	maxTrailingBytes = 4 << 10
)

// Body is the body of a response. When it is read to the end, its connection can be reused.
// Closing it earlier closes the connection. Close may be called at any time, from any
// goroutine, and more than once. Read and Finish must be called by one goroutine.
type Body struct {
	conn *conn
	// chunks is nil if the body is not chunked. A chunked body ends with a trailer.
	chunks io.Reader
	// left is the number of remaining bytes, or -1 if the body ends with the connection.
	left int64
	// keep means that the connection may be reused after this response.
	keep bool
	// detach stops watching the call's context. It returns false if the context had already
	// ended.
	detach func() bool
	// finished is set by Finish. After that, the call's context no longer applies.
	finished atomic.Bool
	// done is set when the connection goes back to the pool or is closed.
	done atomic.Bool
}

func newBody(c *conn, h head, detach func() bool) *Body {
	b := &Body{conn: c, left: h.length, keep: !h.last, detach: detach}
	if h.chunked {
		// net/http's own body holds back the last chunk until the trailer has arrived.
		b.chunks = httputil.NewChunkedReader(c.r)
	}
	if h.length == 0 {
		b.release()
	}
	return b
}

// Read reads the body. At the end it puts the connection back into the pool. It returns as soon
// as any bytes have arrived, and does not wait for the trailer.
func (b *Body) Read(p []byte) (int, error) {
	if b.done.Load() {
		return 0, io.EOF
	}
	n, err := b.read(p)
	if errors.Is(err, io.EOF) {
		b.release()
	}
	return n, err
}

// read reads without releasing the connection. If the length is known, it returns io.EOF
// together with the last byte.
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

// release puts the connection back into the pool. It closes the connection if the connection
// cannot be reused or if the call's context ended while the last bytes were read.
func (b *Body) release() {
	if !b.done.CompareAndSwap(false, true) {
		return
	}
	if free := b.finished.Load() || b.detach(); !free || !b.keep {
		_ = b.conn.Close()
		return
	}
	if b.chunks != nil && !b.skipEmptyTrailer() {
		_ = b.conn.SetReadDeadline(time.Now().Add(b.conn.pool.trailingBytesTimeout))
		go b.returnConn(b.readTrailer)
		return
	}
	b.returnConn(nil)
}

// returnConn puts the connection back into the pool. If readTrailer is set, it is called first.
// If it returns false, or if unread bytes remain, the connection is closed.
func (b *Body) returnConn(readTrailer func() bool) {
	if (readTrailer == nil || readTrailer()) && b.conn.r.Buffered() == 0 {
		b.conn.pool.put(b.conn)
		return
	}
	_ = b.conn.Close()
}

// Close closes the connection, unless the body was read to its end or Finish was called.
func (b *Body) Close() error {
	if b.finished.Load() {
		return nil
	}
	return b.closeConn()
}

func (b *Body) closeConn() error {
	if !b.done.CompareAndSwap(false, true) {
		return nil
	}
	b.detach()
	return b.conn.Close()
}

// Finish is for a caller that needs no more of the body. It reads the few remaining bytes in
// the background and then puts the connection back into the pool. The caller's context no
// longer applies.
func (b *Body) Finish() {
	if b.done.Load() {
		return
	}
	if !b.detach() {
		_ = b.Close()
		return
	}
	b.finished.Store(true)
	_ = b.conn.SetReadDeadline(time.Now().Add(b.conn.pool.trailingBytesTimeout))
	go b.discardRest()
}

func (b *Body) discardRest() {
	_, _ = io.CopyN(io.Discard, b, maxTrailingBytes)
	_ = b.closeConn()
}
