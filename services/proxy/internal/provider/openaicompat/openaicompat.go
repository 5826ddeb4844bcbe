// Package openaicompat talks to every upstream that speaks our clients' own
// format: the vendor that made it, the clouds that copied it and the servers
// people run themselves. A request goes out as the client wrote it, but for
// the model's name; nothing else of the client's goes with it. It normalises
// nothing (package openai does) and is configured by the policy alone.
package openaicompat

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Config is one upstream.
type Config struct {
	// Name is the provider's name in the policy.
	Name string
	// BaseURL is what /chat/completions and /embeddings are appended to.
	BaseURL string
	// Credential is sent as a bearer token; without one, no Authorization is.
	Credential config.Secret
	// Transport makes the calls. It does not touch a request's body after it
	// has returned.
	Transport http.RoundTripper
	// Version is told to the upstream in User-Agent.
	Version string
}

// Provider is one upstream. It is safe for concurrent use.
type Provider struct {
	name       string
	chat       *url.URL
	embeddings *url.URL
	// plain and stream are the headers of the two kinds of call.
	plain, stream http.Header
	transport     http.RoundTripper
	// secret is the credential as it may come back.
	secret []byte
}

// New makes a provider. It fails on a base URL that is no absolute http URL.
func New(c Config) (*Provider, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("provider %s: base_url is not an absolute http or https URL", c.Name)
	}
	if base.Path == "" {
		base.Path = "/" // else JoinPath makes a relative one
	}
	return &Provider{
		name:       c.Name,
		chat:       base.JoinPath("chat", "completions"),
		embeddings: base.JoinPath("embeddings"),
		plain:      header(c, "application/json"),
		stream:     header(c, "text/event-stream"),
		transport:  c.Transport,
		secret:     []byte(c.Credential.Reveal()),
	}, nil
}

// header is all that is ever sent.
func header(c Config, accept string) http.Header {
	h := http.Header{
		"Accept":       {accept},
		"Content-Type": {"application/json"},
		"User-Agent":   {"signalbox/" + c.Version},
	}
	if c.Credential != "" {
		h.Set("Authorization", "Bearer "+c.Credential.Reveal())
	}
	return h
}

// Chat makes one call. A stream must be read and closed by the caller.
func (p *Provider) Chat(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	if call.Request.Stream {
		return p.call(ctx, p.chat, p.stream, call)
	}
	return p.call(ctx, p.chat, p.plain, call)
}

// Embed makes one call.
func (p *Provider) Embed(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	return p.call(ctx, p.embeddings, p.plain, call)
}

func (p *Provider) call(ctx context.Context, to *url.URL, header http.Header, call provider.Call) (*provider.Reply, error) {
	if ctx.Err() != nil {
		return nil, provider.Ended(ctx)
	}
	out := &outbound{pieces: call.Request.Outbound(call.Upstream)}
	// The URL and the header are shared by all calls: a transport changes
	// neither.
	req := (&http.Request{
		Method: http.MethodPost, URL: to, Host: to.Host, Header: header,
		Body: out, GetBody: out.again, ContentLength: out.length(),
	}).WithContext(ctx)
	resp, err := p.transport.RoundTrip(req)
	if err != nil {
		return nil, p.broken(ctx, phaseRequest, err)
	}
	reply, err := p.reply(ctx, resp, call.Request.Stream)
	if err != nil {
		return nil, err
	}
	reply.Status = resp.StatusCode
	reply.UpstreamID = resp.Header.Get("X-Request-Id")
	return reply, nil
}
