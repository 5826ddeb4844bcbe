package api

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
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

func (e *edge) readBody(x *exchange) ([]byte, error) {
	zipped, err := checkEncoding(x.r.Header)
	if err != nil {
		return nil, err
	}
	if x.r.ContentLength > e.Limits.Body {
		return nil, e.tooLargeError()
	}
	x.extendRead(e.Limits.BodyTimeout, 0)
	buf, err := e.readContent(x, zipped)
	if err != nil {
		return nil, e.bodyError(x, err)
	}
	x.bodyRead = true
	return buf, nil
}

func (e *edge) readContent(x *exchange, zipped bool) ([]byte, error) {
	if x.r.ContentLength >= 0 && !zipped {
		return e.readAll(x, x.r.Body, min(x.r.ContentLength, maxInitial), x.r.ContentLength)
	}
	// MaxBytesReader also closes the connection if the body is too long.
	body := io.Reader(http.MaxBytesReader(x.w, x.r.Body, e.Limits.Body))
	if zipped {
		var err error
		if body, err = unzip(body); err != nil {
			return nil, err
		}
	}
	return e.readAll(x, body, unknownInitial, e.Limits.Body)
}

// readAll reads the body into x.buffer. The buffer starts with at least firstSize bytes and
// grows to at least maxSize bytes if necessary. It always has an extra byte. Without that
// byte, a body of exactly the buffer's size would make the buffer grow before the end of the
// body is detected. Padding between tokens does not make the buffer grow.
func (e *edge) readAll(x *exchange, r io.Reader, firstSize, maxSize int64) ([]byte, error) {
	if err := e.growBuffer(x, firstSize+1, 0); err != nil {
		return nil, err
	}
	var spaces spaceSqueezer
	for read, arrived := 0, int64(0); ; {
		n, err := r.Read((*x.buffer)[read:])
		read, arrived = read+n, arrived+int64(n)
		switch {
		case arrived > e.Limits.Body:
			return nil, errTooLong
		case errors.Is(err, io.EOF):
			return (*x.buffer)[:read:read], nil
		case err != nil:
			return nil, err
		}
		if read < len(*x.buffer) {
			continue
		}
		// A client that has sent this much gets more time for the rest.
		x.extendRead(e.Limits.BodyTimeout, arrived)
		if read = spaces.squeeze((*x.buffer)[:read]); read <= len(*x.buffer)/2 {
			continue
		}
		if err := e.growBuffer(x, min(grownSize(int64(read)), maxSize+1), read); err != nil {
			return nil, err
		}
	}
}

// grownSize returns the size of the buffer after one that the bytes read have filled.
func grownSize(read int64) int64 {
	return max(min(growth*read, maxFastGrowth), slowGrowth*read)
}

// extendRead sets the deadline for the next part of the body. The bytes that have arrived
// extend the deadline, so that a large body has more time.
func (x *exchange) extendRead(limit time.Duration, arrived int64) {
	if limit > 0 {
		_ = x.rc.SetReadDeadline(time.Now().Add(limit + time.Duration(arrived)*time.Second/minBytesPerSecond))
	}
}

// bodyError returns the error for the client if the body could not be read.
func (e *edge) bodyError(x *exchange, err error) error {
	var known *apperr.Error
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &over) || errors.Is(err, errTooLong):
		return e.tooLargeError()
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.w.Header().Set("Connection", "close") // do not wait for the rest of the body
		return apperr.New(apperr.RequestTimeout, "the body did not arrive in time").WithCause(err)
	case isDamaged(err):
		return apperr.New(apperr.InvalidRequest, "the body is not valid gzip").WithCause(err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return apperr.New(apperr.InvalidRequest, "the body ended early").WithCause(err)
	case x.r.Context().Err() != nil:
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").WithCause(err)
	}
	return apperr.New(apperr.InvalidRequest, "the body could not be read").WithCause(err)
}

func (e *edge) tooLargeError() error {
	return apperr.New(apperr.RequestTooLarge, "the body is too large").With("limit_bytes", e.Limits.Body)
}
