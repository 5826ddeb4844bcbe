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

// Address is where calls go, made ready once for all of them.
type Address struct {
	url *url.URL
	// key names the connections that lead there; line is the request's line
	// and Host.
	key  string
	line []byte
}

// NewAddress makes a URL ready. Nobody may change it from then on.
func NewAddress(u *url.URL) *Address {
	return &Address{
		url: u, key: u.Scheme + "://" + u.Host,
		line: []byte("POST " + u.RequestURI() + " HTTP/1.1\r\nHost: " + u.Host),
	}
}

// Fields are the header of calls, made ready once for all of them.
type Fields struct {
	header http.Header
	lines  []byte
	wanted []string
}

// NewFields makes a header ready. Nobody may change it from then on. Its names
// and values come from the policy and are checked there; what could still begin
// a line of its own is left out. Wanted are the names that will be asked of the
// answer's header, if its status is 200.
func NewFields(h http.Header, wanted ...string) *Fields {
	f := &Fields{header: h, wanted: wanted}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			f.lines = append(f.lines, "\r\n"+name+": "+harmless.Replace(v)...)
		}
	}
	return f
}

var harmless = strings.NewReplacer("\r", "", "\n", "", "\x00", "")

// Post is one call. Nothing in it is changed, nor touched when the call has
// returned.
type Post struct {
	To   *Address
	With *Fields
	// Pieces are the body.
	Pieces [][]byte
}

func (p *Post) length() int64 {
	n := 0
	for _, piece := range p.Pieces {
		n += len(piece)
	}
	return int64(n)
}

// request is the call as net/http knows it, which changes neither the URL nor
// the header.
func (p *Post) request(ctx context.Context) *http.Request {
	req := &http.Request{Method: http.MethodPost, URL: p.To.url, Host: p.To.url.Host, Header: p.With.header, Body: http.NoBody}
	if req.ContentLength = p.length(); req.ContentLength > 0 {
		body := &pieces{all: p.Pieces}
		req.Body, req.GetBody = body, body.again
	}
	return req.WithContext(ctx)
}

// Answer is what an upstream says.
type Answer struct {
	Status int
	Header Header
	// Length is the body's; -1 where it was not told. Here is about how much
	// of the body has arrived.
	Length int64
	Here   int
	// Body is closed by the caller. It is a *Body where HTTP/1.1 was spoken.
	Body io.ReadCloser
}

// Caller makes calls. It returns when the head of the answer is there; ctx
// bounds reading the body too.
type Caller interface {
	Call(ctx context.Context, p Post) (Answer, error)
}

// Over makes calls over a transport that does not touch a request's body after
// it has returned.
func Over(t http.RoundTripper) Caller { return over{t} }

type over struct{ transport http.RoundTripper }

func (o over) Call(ctx context.Context, p Post) (Answer, error) {
	resp, err := o.transport.RoundTrip(p.request(ctx)) //nolint:bodyclose // it is the answer's
	return answerOf(resp, err)
}

func answerOf(resp *http.Response, err error) (Answer, error) {
	if err != nil {
		return Answer{}, err
	}
	return Answer{Status: resp.StatusCode, Header: Header{fields: resp.Header}, Length: resp.ContentLength, Body: resp.Body}, nil
}
