package httpserver

import (
	"bytes"
	"io"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Forms of the answers that the library gives by itself. The first is whole
// but for the text after it.
var (
	plainHead   = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	version     = []byte("HTTP/1.1 ")
	expectation = []byte("HTTP/1.1 417 ")
	// Of all of them this one alone is in the request's own version.
	oldExpectation = []byte("HTTP/1.0 417 ")
)

// translate returns the error for an answer that the library gives by itself;
// nil if b is none. Statuses of 500 and more become 400: clients would try
// again what can never work.
func (d *door) translate(b []byte) *apperr.Error {
	if bytes.HasPrefix(b, expectation) || bytes.HasPrefix(b, oldExpectation) {
		return apperr.New(apperr.ExpectationFailed, "the only expectation that is met is 100-continue")
	}
	line, _, ok := bytes.Cut(b, plainHead)
	if !ok || bytes.IndexByte(line, '\r') >= 0 || !bytes.HasPrefix(line, version) {
		return nil
	}
	text := string(line[len(version):])
	switch text[:min(3, len(text))] {
	case "431":
		return apperr.New(apperr.HeadersTooLarge, "the headers are too large").With("limit_bytes", d.MaxHeader)
	case "501":
		return apperr.New(apperr.InvalidRequest, "the transfer encoding is not supported; use chunked or a Content-Length")
	case "505":
		return apperr.New(apperr.InvalidRequest, "the version of HTTP is not supported; use HTTP/1.1")
	}
	message := "the request is not valid HTTP"
	if _, reason, ok := bytes.Cut(line, []byte(": ")); ok {
		message += ": " + string(reason)
	}
	return apperr.New(apperr.InvalidRequest, message)
}

// canned is a whole response, after which the connection is closed.
func canned(e *apperr.Error, requestID string, format apperr.Format) []byte {
	var a answer
	apperr.Write(&a, e, requestID, format)
	res := http.Response{
		StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1, Header: a.header, Close: true,
		ContentLength: int64(len(a.body)), Body: io.NopCloser(bytes.NewReader(a.body)),
	}
	var b bytes.Buffer
	_ = res.Write(&b) // a buffer takes everything
	return b.Bytes()
}

// answer is a response that is kept instead of sent.
type answer struct {
	header http.Header
	status int
	body   []byte
}

// Header returns the headers, to be set.
func (a *answer) Header() http.Header {
	if a.header == nil {
		a.header = http.Header{}
	}
	return a.header
}

// WriteHeader keeps the status.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write keeps the body.
func (a *answer) Write(b []byte) (int, error) {
	a.body = append(a.body, b...)
	return len(b), nil
}
