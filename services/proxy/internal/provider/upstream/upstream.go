// Package upstream is the HTTP half of every adapter: it sends a body in
// pieces with one of the provider's credentials, turns to another credential
// where that one is refused, reads whole answers and event streams within
// bounds, keeps the credential out of everything that comes back, and names
// failures as package provider promises. It translates nothing: what stands in
// a body is the adapter's affair, and package openai classes what upstreams
// say of themselves.
package upstream

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

// Config is one upstream.
type Config struct {
	// Name is the provider's name in the policy.
	Name string
	// Transport makes the calls.
	Transport egress.Caller
	// Keys has the credentials; nil sends none.
	Keys *keypool.Pool
	// Authorize puts a credential into the header of a call; nil sends it as a
	// bearer token. It is asked once for every key, not for every call.
	Authorize func(h http.Header, key string)
	// Header goes with every call, beside Accept, Accept-Encoding, Content-Type
	// and User-Agent.
	Header http.Header
	// Version is told to the upstream in User-Agent.
	Version string
	// IDHeaders are the names, in their canonical form, under which the
	// upstream gives its own id of a call, the first that is there counting;
	// X-Request-Id when empty.
	IDHeaders []string
}

// Client calls one upstream. It is safe for concurrent use.
type Client struct {
	name      string
	transport egress.Caller
	keys      *keypool.Pool
	// faces are how calls look with each key, in the pool's order; without
	// keys there is one.
	faces []face
	ids   []string
}

// face is what a key makes of a call.
type face struct {
	plain, stream *egress.Fields
	// secret is the credential as it may come back; none if it is too short to
	// be told from a word.
	secret []byte
}

// New makes a client. It fails without a transport.
func New(c Config) (*Client, error) {
	if c.Transport == nil {
		return nil, errors.New("provider " + c.Name + ": the transport is missing")
	}
	if len(c.IDHeaders) == 0 {
		c.IDHeaders = []string{"X-Request-Id"}
	}
	client := &Client{name: c.Name, transport: c.Transport, keys: c.Keys, ids: c.IDHeaders}
	if c.Keys == nil {
		client.faces = []face{newFace(c, "")}
		return client, nil
	}
	for _, k := range c.Keys.Keys() {
		client.faces = append(client.faces, newFace(c, k.Secret.Reveal()))
	}
	return client, nil
}

func newFace(c Config, key string) face {
	f := face{plain: header(c, "application/json", key), stream: header(c, "text/event-stream", key)}
	if len(key) >= minHidden {
		f.secret = []byte(key)
	}
	return f
}

// header is all that is ever sent.
func header(c Config, accept, key string) *egress.Fields {
	h := http.Header{
		"Accept":          {accept},
		"Accept-Encoding": {"identity"}, // what is not said may be anything
		"Content-Type":    {"application/json"},
		"User-Agent":      {"signalbox/" + c.Version},
	}
	maps.Copy(h, c.Header)
	switch {
	case key == "":
	case c.Authorize != nil:
		c.Authorize(h, key)
	default:
		h.Set("Authorization", "Bearer "+key)
	}
	return egress.NewFields(h, append([]string{contentType, contentEncoding}, c.IDHeaders...)...)
}

// Base reads a base URL, so that paths can be joined to it. It fails, naming
// the provider, on what is no absolute http or https URL.
func Base(provider, text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("provider %s: base_url is not an absolute http or https URL", provider)
	}
	if base.Path == "" {
		base.Path = "/" // else JoinPath makes a relative one
	}
	return base, nil
}
