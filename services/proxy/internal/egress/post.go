package egress

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Address is the URL of an upstream, prepared once for all calls.
type Address struct {
	url    *url.URL
	method string
	// key identifies the connections to this upstream.
	key string
	// line is the request line with the Host header.
	line []byte
}

// NewAddress prepares a URL for calls with the method POST. The URL must not be modified
// afterwards.
func NewAddress(u *url.URL) *Address { return NewMethodAddress(http.MethodPost, u) }

// NewMethodAddress is like NewAddress for any method whose responses have bodies.
func NewMethodAddress(method string, u *url.URL) *Address {
	return &Address{
		url: u, method: method, key: u.Scheme + "://" + u.Host,
		line: []byte(method + " " + u.RequestURI() + " HTTP/1.1\r\nHost: " + u.Host),
	}
}

// Fields are the request headers, prepared once for all calls.
type Fields struct {
	header http.Header
	lines  []byte
	wanted []string
}

// NewFields prepares headers. They must not be modified afterwards. Names and values come from
// the policy, which validates them. NewFields removes line breaks in values anyway. wanted are
// the names of the headers that callers will read from a response with status 200.
func NewFields(h http.Header, wanted ...string) *Fields {
	f := &Fields{header: h, wanted: wanted}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			f.lines = append(f.lines, "\r\n"+name+": "+removeLineBreaks.Replace(v)...)
		}
	}
	return f
}

// With returns the headers together with more. A header of more replaces the headers of the same
// name.
func (f *Fields) With(more http.Header) *Fields {
	h := maps.Clone(f.header)
	maps.Copy(h, more)
	return NewFields(h, f.wanted...)
}

var removeLineBreaks = strings.NewReplacer("\r", "", "\n", "", "\x00", "")

// Post is one call, usually with the method POST. The transport does not modify it, and does not use it after the call has
// returned.
type Post struct {
	To   *Address
	With *Fields
	// Pieces are the parts of the body.
	Pieces [][]byte
}

func (p *Post) length() int64 {
	n := 0
	for _, piece := range p.Pieces {
		n += len(piece)
	}
	return int64(n)
}

// request returns the call as a request for net/http. net/http modifies neither the URL nor the
// header, so that all calls can share them.
func (p *Post) request(ctx context.Context) *http.Request {
	req := &http.Request{Method: p.To.method, URL: p.To.url, Host: p.To.url.Host, Header: p.With.header, Body: http.NoBody}
	if req.ContentLength = p.length(); req.ContentLength > 0 {
		body := &pieces{all: p.Pieces}
		req.Body, req.GetBody = body, body.reopen
	}
	return req.WithContext(ctx)
}

// HTTPResponse is the response of an upstream.
type HTTPResponse struct {
	Status int
	Header Header
	// Length is the length of the body, or -1 if it is unknown.
	Length int64
	// Buffered is roughly how many bytes of the body have already arrived.
	Buffered int
	// Body must be closed by the caller. It is a *Body if the call used HTTP/1.1.
	Body io.ReadCloser
}

// Caller makes calls. Call returns when the head of the response has arrived. When ctx ends,
// reading the body fails too.
type Caller interface {
	Call(ctx context.Context, p Post) (HTTPResponse, error)
}

// WrapTransport returns a Caller that uses a net/http transport. The transport must not use a
// request's body after RoundTrip has returned.
func WrapTransport(t http.RoundTripper) Caller { return wrappedTransport{t} }

type wrappedTransport struct{ transport http.RoundTripper }

func (o wrappedTransport) Call(ctx context.Context, p Post) (HTTPResponse, error) {
	resp, err := o.transport.RoundTrip(p.request(ctx)) //nolint:bodyclose // the caller closes HTTPResponse.Body
	return toResponse(resp, err)
}

func toResponse(resp *http.Response, err error) (HTTPResponse, error) {
	if err != nil {
		return HTTPResponse{}, err
	}
	return HTTPResponse{Status: resp.StatusCode, Header: Header{fields: resp.Header}, Length: resp.ContentLength, Body: resp.Body}, nil
}
