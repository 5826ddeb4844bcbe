package httpserver

import (
	"bytes"
	"io"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// These are parts of the responses that net/http writes itself. After plainHead, only the text
// of the error follows.
var (
	plainHead    = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	statusPrefix = []byte("HTTP/1.1 ")
	expectation  = []byte("HTTP/1.1 417 ")
	// For this response only, net/http uses the HTTP version of the request.
	oldExpectation = []byte("HTTP/1.0 417 ")
)

// translateResponse returns the error for a response that net/http wrote itself. For any other
// bytes it returns nil. Status 501 becomes 400, because clients retry 501 and the request would fail
// again.
func (g *gatekeeper) translateResponse(b []byte) *apperr.Error {
	if bytes.HasPrefix(b, expectation) || bytes.HasPrefix(b, oldExpectation) {
		return apperr.New(apperr.ExpectationFailed, "the header Expect supports only 100-continue; remove the header")
	}
	line, _, ok := bytes.Cut(b, plainHead)
	if !ok || bytes.IndexByte(line, '\r') >= 0 || !bytes.HasPrefix(line, statusPrefix) {
		return nil
	}
	text := string(line[len(statusPrefix):])
	switch text[:min(3, len(text))] {
	case "431":
		return apperr.New(apperr.HeadersTooLarge, "the headers are too large").With("limit_bytes", g.MaxHeader)
	case "501":
		return apperr.New(apperr.InvalidRequest, "the transfer encoding is not supported; use chunked or a Content-Length")
	case "505":
		return unsupportedVersionError()
	}
	message := "the request is not valid HTTP"
	if _, reason, ok := bytes.Cut(line, []byte(": ")); ok {
		message += ": " + string(reason)
	}
	return apperr.New(apperr.InvalidRequest, message)
}

func unsupportedVersionError() *apperr.Error {
	return apperr.New(apperr.HTTPVersionNotSupported, "this HTTP version is not supported; use HTTP/1.1")
}

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
