package httpserver

import (
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"
)

// newExchange prepares the response and the body of a request. r is a copy that only lives until the
// handler gets its own.
func newExchange(c *conn, r *http.Request) *exchange {
	ex := &exchange{}
	ex.body.open(c, r)
	w := &ex.response
	w.c, w.body, w.header = c, &ex.body, make(http.Header, usualHeaders)
	w.isHead, w.isHTTP10 = r.Method == http.MethodHead, r.ProtoMinor == 0
	w.declared, w.last = -1, r.Close
	c.writeDeadline = time.Time{}
	return ex
}

// usualHeaders is the number of headers up to which a response needs no second allocation.
const usualHeaders = 14

// output returns the memory for what is sent next.
func (w *response) output() *output {
	if w.out == nil {
		w.out = outputPool.Get().(*output) //nolint:forcetypeassert // the pool holds nothing else
	}
	return w.out
}

func (w *response) buffered() int {
	if w.out == nil {
		return 0
	}
	return len(w.out.body)
}

func (w *response) releaseOutput() {
	out := w.out
	w.out = nil
	if out == nil {
		return
	}
	if cap(out.head)+cap(out.body) <= maxKept {
		out.head, out.body = out.head[:0], out.body[:0]
		outputPool.Put(out)
	}
}

// encodeHead encodes the headers as they are now, except those that depend on the body.
func (w *response) encodeHead() {
	out := w.output()
	b := append(out.head, w.proto()...)
	b = strconv.AppendInt(append(b, ' '), int64(w.status), 10)
	b = append(append(append(b, ' '), http.StatusText(w.status)...), "\r\n"...)
	names := make([]string, 0, 2*usualHeaders)
	for name := range w.header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b = w.appendHeader(b, name, w.header[name])
	}
	if _, ok := w.header["Date"]; !ok {
		b = append(b, dateHeader()...)
	}
	out.head = b
}

func (w *response) proto() string {
	if w.isHTTP10 {
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// appendHeader encodes a header, except those that the server chooses itself.
func (w *response) appendHeader(b []byte, name string, values []string) []byte {
	switch name {
	case "Transfer-Encoding":
		return b
	case "Trailer":
		w.declareTrailers(values)
	case "Connection":
		w.last = w.last || httpguts.HeaderValuesContainsToken(values, "close")
		return b
	case "Content-Length":
		w.declareLength(values)
		return b
	case "Content-Type", "Content-Encoding":
		w.hasType = true
	}
	return appendFields(b, name, values)
}

func appendFields(b []byte, name string, values []string) []byte {
	if !httpguts.ValidHeaderFieldName(name) {
		return b
	}
	for _, value := range values {
		b = append(append(b, name...), ": "...)
		b = append(appendValue(b, value), "\r\n"...)
	}
	return b
}

// appendValue replaces line breaks, so that a value cannot end its header.
func appendValue(b []byte, value string) []byte {
	start := len(b)
	b = append(b, textproto.TrimString(value)...)
	if strings.ContainsAny(value, "\r\n") {
		for i := start; i < len(b); i++ {
			if b[i] == '\r' || b[i] == '\n' {
				b[i] = ' '
			}
		}
	}
	return b
}

func (w *response) declareTrailers(values []string) {
	for name := range strings.SplitSeq(strings.Join(values, ","), ",") {
		w.trailers = append(w.trailers, http.CanonicalHeaderKey(strings.TrimSpace(name)))
	}
}

func (w *response) declareLength(values []string) {
	if len(values) == 0 {
		return
	}
	if n, err := strconv.ParseUint(textproto.TrimString(values[0]), 10, 63); err == nil {
		w.declared = int64(n)
	}
}

// encodeFraming adds the headers that depend on the body: p follows what is buffered, and nothing
// follows p if complete is set.
func (w *response) encodeFraming(p []byte, complete bool) {
	out := w.out
	b := w.appendContentType(out.head, out.body, p)
	w.last = w.body.refuse() || w.last || !w.body.finish(!w.done)
	switch {
	case !allowsBody(w.status) || w.isHead && w.declared < 0 && w.written == 0:
	case w.declared >= 0:
		b = appendLength(b, w.declared)
	case complete && w.trailers == nil:
		b = appendLength(b, w.written)
	case w.isHTTP10:
		w.last = true
	default:
		w.chunked = !w.isHead
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	}
	switch {
	case w.last:
		b = append(b, "Connection: close\r\n"...)
	case w.isHTTP10:
		b = append(b, "Connection: keep-alive\r\n"...)
	}
	out.head = append(b, "\r\n"...)
}

// appendContentType guesses the type of a body if the handler has set none, as net/http does.
func (w *response) appendContentType(b, body, p []byte) []byte {
	if len(body) == 0 {
		body = p
	}
	if w.hasType || len(body) == 0 {
		return b
	}
	return append(append(append(b, "Content-Type: "...), http.DetectContentType(body)...), "\r\n"...)
}

func appendLength(b []byte, n int64) []byte {
	return append(strconv.AppendInt(append(b, "Content-Length: "...), n, 10), "\r\n"...)
}

// send sends what is buffered and then p. If complete is set, the body ends with it.
func (w *response) send(p []byte, complete bool) error {
	if w.err != nil {
		return w.err
	}
	out := w.output()
	defer w.releaseOutput()
	if !w.sentHead {
		w.encodeFraming(p, complete)
		w.sentHead = true
	}
	if w.isHead {
		out.body, p = out.body[:0], nil
	}
	size := len(out.body) + len(p)
	if w.chunked && size > 0 {
		out.head = append(strconv.AppendInt(out.head, int64(size), 16), "\r\n"...)
	}
	if size > maxCopy {
		w.err = w.c.sendParts(net.Buffers{out.head, out.body, p, w.appendChunkEnd(nil, size, complete)})
		return w.err
	}
	out.head = w.appendChunkEnd(append(append(out.head, out.body...), p...), size, complete)
	if len(out.head) > 0 {
		w.err = w.c.sendBytes(out.head)
	}
	return w.err
}

// appendChunkEnd adds what follows a chunk of a size, and the trailers after the last one.
func (w *response) appendChunkEnd(b []byte, size int, complete bool) []byte {
	if !w.chunked {
		return b
	}
	if size > 0 {
		b = append(b, "\r\n"...)
	}
	if complete {
		b = append(b, "0\r\n"...)
		for _, name := range w.trailers {
			b = appendFields(b, name, w.header[name])
		}
		b = append(b, "\r\n"...)
	}
	return b
}

// date is the header Date of one second.
type date struct {
	second int64
	header string
}

var lastDate atomic.Pointer[date]

func dateHeader() string {
	now := time.Now()
	if d := lastDate.Load(); d != nil && d.second == now.Unix() {
		return d.header
	}
	d := &date{now.Unix(), "Date: " + now.UTC().Format(http.TimeFormat) + "\r\n"}
	lastDate.Store(d)
	return d.header
}
