// Package upstream is the HTTP client that all adapters share. A Client sends a request
// once, with one of the provider's credentials. If another credential or a new
// connection may help, it returns a provider.RepeatError. It reads complete responses and
// event streams within size limits. It redacts the credential from the texts that it
// returns, unless the credential is very short. Its errors are those of provider.ChatCompleter.
//
// The adapters translate the bodies. Package upstreamerror classifies the errors that upstreams
// send.
package upstream

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

// Config configures the adapter of one upstream and its Client. The registry sets the fields
// up to Version. The adapter sets the others to what its wire format requires.
type Config struct {
	// Name is the provider's name in the policy.
	Name string
	// BaseURL is the URL of the API. Each adapter appends its own paths to it.
	BaseURL string
	// Wire describes the deviations of the upstream. It may be nil. Calls have a Wire of their
	// own, so only the part that applies to every call is read here.
	Wire *catalog.Wire
	// Transport sends the HTTP requests.
	Transport egress.Caller
	// Keys holds the credentials. If it is nil, calls are sent without a credential.
	Keys *keypool.Pool
	// Version is the gateway's version, sent in User-Agent.
	Version string
	// Authorize adds a credential to the request header. If it is nil, the credential is
	// sent as a bearer token. New calls Authorize for each key. Calls use the stored headers.
	Authorize func(h http.Header, key string)
	// Header is sent with every call, in addition to Accept, Accept-Encoding,
	// Content-Type and User-Agent.
	Header http.Header
	// IDHeaders lists the response headers that may contain the upstream's id for the
	// call, in canonical form. The first header that is present is used. The default is
	// X-Request-Id.
	IDHeaders []string
}

// Client calls one upstream. It is safe for concurrent use.
type Client struct {
	name      string
	transport egress.Caller
	keys      *keypool.Pool
	// headersByKey holds the request headers of each key, in the order of the pool.
	// Without keys it has one element, whose headers contain no credential.
	headersByKey []keyHeaders
	idHeaders    []string
}

// keyHeaders holds the precomputed request headers of one key.
type keyHeaders struct {
	plain, stream *egress.Fields
	// secret is the credential to redact from responses. It is nil if the credential is
	// too short to be distinguished from an ordinary word.
	secret []byte
	// signer signs the ids of the objects that calls with this key store. It is nil if the
	// credential is missing or too short.
	signer *storedid.Signer
}

// New returns a client. It fails if the transport is missing.
func New(c Config) (*Client, error) {
	if c.Transport == nil {
		return nil, errors.New("provider " + c.Name + ": the transport is missing")
	}
	if len(c.IDHeaders) == 0 {
		c.IDHeaders = []string{"X-Request-Id"}
	}
	client := &Client{name: c.Name, transport: c.Transport, keys: c.Keys, idHeaders: c.IDHeaders}
	if c.Keys == nil {
		client.headersByKey = []keyHeaders{newKeyHeaders(c, "")}
		return client, nil
	}
	for _, k := range c.Keys.Keys() {
		client.headersByKey = append(client.headersByKey, newKeyHeaders(c, k.Secret.Reveal()))
	}
	return client, nil
}

func newKeyHeaders(c Config, key string) keyHeaders {
	headers := keyHeaders{
		plain: buildHeader(c, "application/json", key), stream: buildHeader(c, "text/event-stream", key), signer: storedid.NewSigner(c.Name, key),
	}
	if len(key) >= minRedactedLen {
		headers.secret = []byte(key)
	}
	return headers
}

func buildHeader(c Config, accept, key string) *egress.Fields {
	h := http.Header{
		"Accept":          {accept},
		"Accept-Encoding": {"identity"}, // without it, upstreams may compress
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
	return egress.NewFields(h, append([]string{headerContentType, headerContentEncoding}, c.IDHeaders...)...)
}

// ParseBaseURL parses the base URL of a provider, so that paths can be joined to it. If
// text is not an absolute http or https URL, it returns an error that names the provider.
func ParseBaseURL(provider, text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("provider %s: base_url is not an absolute http or https URL", provider)
	}
	if base.Path == "" {
		base.Path = "/" // otherwise JoinPath returns a relative path
	}
	return base, nil
}
