// Package sandbox is a provider without a vendor: a family of pretended models
// of different speed and style that answer chats, streams, tools, JSON modes
// and embeddings without a network. The same request gets the same answer.
// Faults and delays come on demand, through the body's field x_sandbox. It is
// for trying and testing Signalbox, and never pretends to be a real model.
package sandbox

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// model is how one of the family behaves.
type model struct {
	name string
	kind catalog.Kind
	// first is the time to the first token, gap that between chunks.
	first, gap time.Duration
	// echo is how many characters of the caller's text it repeats.
	echo int
	// closing ends every answer in plain text.
	closing string
}

const notice = " This is the sandbox: no real model was called."

var family = []model{
	{name: "sandbox-small", kind: catalog.Chat, first: 5 * time.Millisecond, gap: time.Millisecond, echo: 80},
	{name: "sandbox-medium", kind: catalog.Chat, first: 15 * time.Millisecond, gap: 2 * time.Millisecond, echo: 160,
		closing: notice},
	{name: "sandbox-large", kind: catalog.Chat, first: 30 * time.Millisecond, gap: 3 * time.Millisecond, echo: 320,
		closing: notice + " Set a provider's credential in the environment and ask again to hear one."},
	{name: "sandbox-embed", kind: catalog.Embeddings, first: 5 * time.Millisecond},
}

// Provider serves the whole family. It is safe for concurrent use.
type Provider struct{}

// New makes the sandbox. It needs nothing.
func New() *Provider { return &Provider{} }

// Chat answers as the model named in the call, or fails as x_sandbox says.
func (p *Provider) Chat(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	m, err := find(call.Upstream, catalog.Chat)
	if err != nil {
		return nil, err
	}
	var b chatBody
	if err := decode(call.Request.Body, &b, ""); err != nil {
		return nil, err
	}
	f, err := faultOf(b.Script, m.name)
	if err != nil {
		return nil, err
	}
	if err := f.begin(ctx, call.Request.Stream); err != nil {
		return nil, err
	}
	if f.Raw != nil {
		v, err := f.Raw.vendor()
		if err != nil {
			return nil, err
		}
		return v.Chat(ctx, call)
	}
	return m.chat(ctx, call, &b, f)
}

// chat answers well, at the model's own pace or the one asked for.
func (m model) chat(ctx context.Context, call provider.Call, b *chatBody, f fault) (*provider.Reply, error) {
	a := m.compose(b, call.Request, f)
	reply := &provider.Reply{Status: 200, UpstreamID: a.id}
	if call.Request.Stream {
		reply.Events = newEvents(ctx, a, m.pace(f), f)
		return reply, nil
	}
	if err := m.pace(f).whole(ctx, len(a.pieces)); err != nil {
		return nil, err
	}
	if f.BreakAfter != nil {
		return nil, errBroken
	}
	var err error
	reply.Body, err = a.completion()
	return reply, err
}

// Embed answers with a vector for every input, or fails as x_sandbox says.
func (p *Provider) Embed(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	m, err := find(call.Upstream, catalog.Embeddings)
	if err != nil {
		return nil, err
	}
	var b embedBody
	if err := decode(call.Request.Body, &b, ""); err != nil {
		return nil, err
	}
	f, err := faultOf(b.Script, m.name)
	if err != nil {
		return nil, err
	}
	if err := f.begin(ctx, false); err != nil {
		return nil, err
	}
	if f.Raw != nil {
		v, err := f.Raw.vendor()
		if err != nil {
			return nil, err
		}
		return v.Embed(ctx, call)
	}
	if err := m.pace(f).whole(ctx, 0); err != nil {
		return nil, err
	}
	body, err := b.answer(m.name, call.Request.InputTokens)
	return &provider.Reply{Status: 200, Body: body, UpstreamID: idOf(call.Request, m.name)}, err
}

func find(name string, kind catalog.Kind) (model, error) {
	for _, m := range family {
		if m.name == name && m.kind == kind {
			return m, nil
		}
	}
	return model{}, apperr.New(apperr.ProviderModelUnavailable,
		fmt.Sprintf("the sandbox has no model %q for %s", name, kind))
}

// idOf is the same for the same request to the same model.
func idOf(r *openai.Request, model string) string {
	h := fnv.New64a()
	_, _ = h.Write(r.Body)
	_, _ = h.Write([]byte(model))
	return fmt.Sprintf("sandbox-%016x", h.Sum64())
}
