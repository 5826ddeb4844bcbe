// Package openaicompat talks to every upstream that speaks our clients' own
// format: the vendor that made it, the clouds that copied it and the servers
// people run themselves. A request goes out as the client wrote it, but for
// the model's name; nothing else of the client's goes with it. It normalises
// nothing (package openai does) and is configured by the policy alone.
package openaicompat

import (
	"bytes"
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
	// Client makes the calls. It must not follow redirects.
	Client *http.Client
	// Version is told to the upstream in User-Agent.
	Version string
}

// Provider is one upstream. It is safe for concurrent use.
type Provider struct {
	name       string
	chat       string
	embeddings string
	header     http.Header
	client     *http.Client
	// secret is the credential as it may come back.
	secret []byte
}

// New makes a provider. It fails on a base URL that is no absolute http URL.
func New(c Config) (*Provider, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("provider %s: base_url is not an absolute http or https URL", c.Name)
	}
	return &Provider{
		name:       c.Name,
		chat:       base.JoinPath("chat", "completions").String(),
		embeddings: base.JoinPath("embeddings").String(),
		header:     header(c),
		client:     c.Client,
		secret:     []byte(c.Credential.Reveal()),
	}, nil
}

// header is all that is ever sent.
func header(c Config) http.Header {
	h := http.Header{
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
	accept := "application/json"
	if call.Request.Stream {
		accept = "text/event-stream"
	}
	return p.call(ctx, p.chat, accept, call)
}

// Embed makes one call.
func (p *Provider) Embed(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	return p.call(ctx, p.embeddings, "application/json", call)
}

func (p *Provider) call(ctx context.Context, url, accept string, call provider.Call) (*provider.Reply, error) {
	if ctx.Err() != nil {
		return nil, provider.Ended(ctx)
	}
	// A stream that came to its end lets go of ctx, to give its connection
	// back after the caller has left.
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	body := call.Request.Outbound(nil, call.Upstream)
	req, err := http.NewRequestWithContext(own, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the call to %s: %w", p.name, err)
	}
	req.Header = p.header.Clone()
	req.Header.Set("Accept", accept)
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, p.broken(ctx, phaseRequest, err)
	}
	reply, err := p.reply(ctx, detach, resp)
	if err != nil {
		return nil, err
	}
	reply.Status = resp.StatusCode
	reply.UpstreamID = resp.Header.Get("X-Request-Id")
	return reply, nil
}
