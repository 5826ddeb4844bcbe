package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// bodyTimeout bounds reading a body: long enough for megabytes on a slow line,
// short enough that a client cannot hold a request for nothing.
const bodyTimeout = 60 * time.Second

// trusted is how much memory an announced length is given before it arrives.
const trusted = 1 << 20

// body reads the whole body, once.
func (e *edge) body(x *exchange) ([]byte, error) {
	if err := readable(x.r.Header); err != nil {
		return nil, err
	}
	if x.r.ContentLength > e.MaxBody {
		return nil, e.tooLarge()
	}
	_ = x.rc.SetReadDeadline(time.Now().Add(bodyTimeout))
	size := min(x.r.ContentLength, trusted)
	if size < 0 {
		size = 4 << 10
	}
	buf, err := readAll(http.MaxBytesReader(x.w, x.r.Body, e.MaxBody), size)
	_ = x.rc.SetReadDeadline(time.Time{})
	var over *http.MaxBytesError
	switch {
	case err == nil:
		x.read = true
		return buf, nil
	case errors.As(err, &over):
		return nil, e.tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, apperr.New(apperr.RequestTimeout, "the body did not arrive in time").Because(err)
	case x.r.Context().Err() != nil:
		return nil, apperr.New(apperr.ClientCancelled, "the client closed the connection").Because(err)
	}
	return nil, apperr.New(apperr.InvalidRequest, "the body could not be read").Because(err)
}

// readAll reads into a buffer of the announced size, with one byte more so
// that the end is seen without growing.
func readAll(r io.Reader, size int64) ([]byte, error) {
	buf := make([]byte, 0, size+1)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

func (e *edge) tooLarge() error {
	return apperr.New(apperr.RequestTooLarge, "the body is too large").With("limit_bytes", e.MaxBody)
}

func readable(h http.Header) error {
	if enc := h.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return apperr.New(apperr.UnsupportedMediaType, "the content encoding is not handled").With("supported", []string{"identity"})
	}
	kind := h.Get("Content-Type")
	if kind == "" {
		return nil
	}
	media, _, err := mime.ParseMediaType(kind)
	if err != nil || media != "application/json" {
		return apperr.New(apperr.UnsupportedMediaType, "the content type must be application/json; with curl add -H 'Content-Type: application/json'").With("supported", []string{"application/json"})
	}
	return nil
}
