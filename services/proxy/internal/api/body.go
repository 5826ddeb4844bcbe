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
	// trusted is how much memory an announced length is given before it
	// arrives, and growth how many times what has arrived from then on.
	trusted = 64<<10 - 1
	growth  = 4
	// untold is what a length that was not announced is given at first.
	untold = 4<<10 - 1
)

// errOver is a body that is longer than it may be.
var errOver = errors.New("over the limit")

// body reads the whole body, once.
func (e *edge) body(x *exchange) ([]byte, error) {
	zipped, err := readable(x.r.Header)
	if err != nil {
		return nil, err
	}
	if x.r.ContentLength > e.Limits.Body {
		return nil, e.tooLarge()
	}
	x.extendRead(e.Limits.BodyTimeout, 0)
	buf, err := e.read(x, zipped)
	if err != nil {
		return nil, e.unread(x, err)
	}
	x.read = true
	return buf, nil
}

func (e *edge) read(x *exchange, zipped bool) ([]byte, error) {
	if x.r.ContentLength >= 0 && !zipped {
		return e.readAll(x, x.r.Body, min(x.r.ContentLength, trusted), x.r.ContentLength)
	}
	// The reader also sees to it that the connection is not used again.
	body := io.Reader(http.MaxBytesReader(x.w, x.r.Body, e.Limits.Body))
	if zipped {
		var err error
		if body, err = unzip(body); err != nil {
			return nil, err
		}
	}
	return e.readAll(x, body, untold, e.Limits.Body)
}

// readAll reads into memory that grows with what arrives, from the first size
// up to that of the longest body, with one byte more so that the end is seen
// without growing.
func (e *edge) readAll(x *exchange, r io.Reader, first, longest int64) ([]byte, error) {
	if err := e.room(x, first+1, 0); err != nil {
		return nil, err
	}
	for read := 0; ; {
		n, err := r.Read((*x.buffer)[read:])
		read += n
		switch {
		case int64(read) > e.Limits.Body:
			return nil, errOver
		case errors.Is(err, io.EOF):
			return (*x.buffer)[:read:read], nil
		case err != nil:
			return nil, err
		}
		if read < len(*x.buffer) {
			continue
		}
		// Whoever has sent as much is given the time for more.
		x.extendRead(e.Limits.BodyTimeout, int64(read))
		if err := e.room(x, min(growth*int64(read), longest+1), read); err != nil {
			return nil, err
		}
	}
}

// extendRead sets when a body must be there of which so much has arrived:
// whoever sends fewer than the slowest bytes a second runs out of time.
func (x *exchange) extendRead(limit time.Duration, arrived int64) {
	if limit > 0 {
		_ = x.rc.SetReadDeadline(time.Now().Add(limit + time.Duration(arrived)*time.Second/slowest))
	}
}

// unread is what a client is told whose body could not be read.
func (e *edge) unread(x *exchange, err error) error {
	var known *apperr.Error
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &over) || errors.Is(err, errOver):
		return e.tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.w.Header().Set("Connection", "close") // the rest is not waited for again
		return apperr.New(apperr.RequestTimeout, "the body did not arrive in time").Because(err)
	case damaged(err):
		return apperr.New(apperr.InvalidRequest, "the body is not valid gzip").Because(err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return apperr.New(apperr.InvalidRequest, "the body ended early").Because(err)
	case x.r.Context().Err() != nil:
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").Because(err)
	}
	return apperr.New(apperr.InvalidRequest, "the body could not be read").Because(err)
}

func (e *edge) tooLarge() error {
	return apperr.New(apperr.RequestTooLarge, "the body is too large").With("limit_bytes", e.Limits.Body)
}
