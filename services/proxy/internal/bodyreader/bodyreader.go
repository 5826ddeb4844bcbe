// Package bodyreader reads the body of a client's request into memory. It checks the content type
// and the encoding, decompresses gzip, and enforces the maximum size and the time that a client
// may take.
//
// A Buffer reserves its memory in the gate before it allocates it. It starts small and grows with
// the data that arrives, so that a client that only declares a large body occupies nothing. White
// space between JSON tokens does not make it grow. Buffers of usual sizes are reused.
package bodyreader

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
)

const (
	// maxInitial is the largest size of the first buffer for an uncompressed body with a
	// declared length. A client must send data before the proxy allocates more.
	maxInitial = 64<<10 - 1
	// growth is the factor by which a full buffer grows until it has maxFastGrowth bytes. A body
	// of 1 MiB is copied once, after its first 64 KiB.
	growth = 16
	// slowGrowth is the factor for larger buffers. A body takes memory from all other requests,
	// so it reserves no more than a few times its length.
	slowGrowth    = 4
	maxFastGrowth = 1 << 20
	// unknownInitial is the size of the first buffer for any other body.
	unknownInitial = 4<<10 - 1
)

var errTooLong = errors.New("the body exceeds the limit")

// ErrNoMemory means that the gate has no memory for the body.
var ErrNoMemory = errors.New("no memory is free for the body")

// MinBytesPerSecond is the lowest supported speed of a client.
const MinBytesPerSecond = 64 << 10

// Limits are the limits on one body.
type Limits struct {
	// Size is the maximum size in bytes, as sent and after decompression.
	Size int64
	// Timeout is how long a client may take to send the body. A large body gets more time as
	// its data arrives. 0 means no timeout.
	Timeout time.Duration
}

// Request is the request whose body is read.
type Request struct {
	Writer  http.ResponseWriter
	Request *http.Request
	// Control sets the read deadlines of the connection.
	Control *http.ResponseController
	// Slot reserves the memory of the body. Its owner releases it.
	Slot *gate.Slot
}

// Read reads the whole body. The result is valid until Free. The error is ErrNoMemory or an
// *apperr.Error for the client.
func (b *Buffer) Read(req Request, l Limits) ([]byte, error) {
	zipped, err := checkEncoding(req.Request.Header)
	if err != nil {
		return nil, err
	}
	if req.Request.ContentLength > l.Size {
		return nil, l.tooLargeError()
	}
	req.extendDeadline(l.Timeout, 0)
	content, err := b.readContent(req, l, zipped)
	if err != nil {
		return nil, req.clientError(err, l)
	}
	return content, nil
}

func (b *Buffer) readContent(req Request, l Limits, zipped bool) ([]byte, error) {
	r := req.Request
	if r.ContentLength >= 0 && !zipped {
		return b.readAll(req, l, r.Body, min(r.ContentLength, maxInitial), r.ContentLength)
	}
	body := io.Reader(http.MaxBytesReader(req.Writer, r.Body, l.Size))
	if zipped {
		var err error
		if body, err = unzip(body); err != nil {
			return nil, err
		}
	}
	return b.readAll(req, l, body, unknownInitial, l.Size)
}

// readAll reads the body into the buffer. The buffer starts with at least firstSize bytes and
// grows to at least maxSize bytes if necessary. It always has an extra byte. Without that
// byte, a body of exactly the buffer's size would make the buffer grow before the end of the
// body is detected. Padding between tokens does not make the buffer grow.
func (b *Buffer) readAll(req Request, l Limits, r io.Reader, firstSize, maxSize int64) ([]byte, error) {
	if err := b.grow(req.Slot, firstSize+1, 0); err != nil {
		return nil, err
	}
	var spaces spaceSqueezer
	for read, arrived := 0, int64(0); ; {
		n, err := r.Read((*b.bytes)[read:])
		read, arrived = read+n, arrived+int64(n)
		switch {
		case arrived > l.Size:
			return nil, errTooLong
		case errors.Is(err, io.EOF):
			return (*b.bytes)[:read:read], nil
		case err != nil:
			return nil, err
		}
		if read < len(*b.bytes) {
			continue
		}
		// A client that has sent this much gets more time for the rest.
		req.extendDeadline(l.Timeout, arrived)
		if read = spaces.squeeze((*b.bytes)[:read]); read <= len(*b.bytes)/2 {
			continue
		}
		if err := b.grow(req.Slot, min(grownSize(int64(read)), maxSize+1), read); err != nil {
			return nil, err
		}
	}
}

// grownSize returns the size of the buffer after one that the bytes read have filled.
func grownSize(read int64) int64 {
	return max(min(growth*read, maxFastGrowth), slowGrowth*read)
}

// extendDeadline sets the deadline for the next part of the body. The bytes that have arrived
// extend the deadline, so that a large body has more time.
func (r Request) extendDeadline(limit time.Duration, arrived int64) {
	if limit > 0 {
		_ = r.Control.SetReadDeadline(time.Now().Add(limit + time.Duration(arrived)*time.Second/MinBytesPerSecond))
	}
}

// clientError returns the error for the client if the body could not be read.
func (r Request) clientError(err error, l Limits) error {
	var over *http.MaxBytesError
	switch {
	case errors.Is(err, ErrNoMemory):
		return err
	case errors.As(err, &over) || errors.Is(err, errTooLong):
		return l.tooLargeError()
	case errors.Is(err, os.ErrDeadlineExceeded):
		r.Writer.Header().Set("Connection", "close") // do not wait for the rest of the body
		return apperr.New(apperr.RequestTimeout, "the body did not arrive in time").WithCause(err)
	case isDamaged(err):
		return apperr.New(apperr.InvalidRequest, "the body is not valid gzip").WithCause(err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return apperr.New(apperr.InvalidRequest, "the body ended early").WithCause(err)
	case r.Request.Context().Err() != nil:
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").WithCause(err)
	}
	return apperr.New(apperr.InvalidRequest, "the body could not be read").WithCause(err)
}

func (l Limits) tooLargeError() error {
	return apperr.New(apperr.RequestTooLarge, "the body is too large").With("limit_bytes", l.Size)
}
