package httpserver

import (
	"bytes"
	"io"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// encodeResponse encodes a complete HTTP response with "Connection: close".
func encodeResponse(e *apperr.Error, o apperr.Options) []byte {
	var recorded bufferedResponse
	apperr.Write(&recorded, e, o)
	res := http.Response{
		StatusCode: recorded.status, ProtoMajor: 1, ProtoMinor: 1, Header: recorded.header, Close: true,
		ContentLength: int64(len(recorded.body)), Body: io.NopCloser(bytes.NewReader(recorded.body)),
	}
	var b bytes.Buffer
	_ = res.Write(&b) // writing to a buffer never fails
	return b.Bytes()
}

// bufferedResponse is an http.ResponseWriter that records a response.
type bufferedResponse struct {
	header http.Header
	status int
	body   []byte
}

// Header implements http.ResponseWriter.
func (b *bufferedResponse) Header() http.Header {
	if b.header == nil {
		b.header = http.Header{}
	}
	return b.header
}

// WriteHeader implements http.ResponseWriter.
func (b *bufferedResponse) WriteHeader(status int) { b.status = status }

// Write implements http.ResponseWriter.
func (b *bufferedResponse) Write(p []byte) (int, error) {
	b.body = append(b.body, p...)
	return len(p), nil
}
