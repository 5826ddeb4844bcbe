// Package sandbox is a built-in provider for trying and testing Signalbox. It simulates
// models of different speed and style. They serve chats, streams, tools, JSON modes and
// embeddings. The package needs no vendor and no network, and its text responses say that
// they come from the sandbox. The same request gets the same content. The request field
// x_sandbox adds faults and delays.
package sandbox

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// model describes the behavior of one simulated model.
type model struct {
	name string
	kind catalog.Kind
	// firstTokenDelay is the time until the first token. chunkDelay is the time between
	// chunks.
	firstTokenDelay, chunkDelay time.Duration
	// maxEcho is the maximum number of input characters that the model repeats.
	maxEcho int
	// suffix is appended to the repeated input.
	suffix string
}

const sandboxNotice = " This is the sandbox: no real model was called."

var models = []model{
	{name: "sandbox-small", kind: catalog.Chat, firstTokenDelay: 5 * time.Millisecond, chunkDelay: time.Millisecond, maxEcho: 80},
	{name: "sandbox-medium", kind: catalog.Chat, firstTokenDelay: 15 * time.Millisecond, chunkDelay: 2 * time.Millisecond, maxEcho: 160,
		suffix: sandboxNotice},
	{name: "sandbox-large", kind: catalog.Chat, firstTokenDelay: 30 * time.Millisecond, chunkDelay: 3 * time.Millisecond, maxEcho: 320,
		suffix: sandboxNotice + " To use a real model, set the credential of a provider in the environment."},
	{name: "sandbox-embed", kind: catalog.Embeddings, firstTokenDelay: 5 * time.Millisecond},
}

// Provider serves all sandbox models. It is safe for concurrent use.
type Provider struct{}

// New returns the sandbox provider.
func New() *Provider { return &Provider{} }

// CompleteChat responds as the model named in the call. If the request has x_sandbox, it
// fails or waits as requested.
func (p *Provider) CompleteChat(ctx context.Context, call provider.Call) (*provider.Response, error) {
	var b chatRequest
	m, f, err := prepare(ctx, call, catalog.Chat, &b)
	if err != nil {
		return nil, err
	}
	if f.Raw != nil {
		v, err := f.Raw.newProvider()
		if err != nil {
			return nil, err
		}
		return v.CompleteChat(ctx, call)
	}
	return m.respond(ctx, call, &b, f)
}

// respond returns a response with the delays of the model or of the fault. It fails if the
// fault breaks the connection of a request that is not a stream.
func (m model) respond(ctx context.Context, call provider.Call, b *chatRequest, f fault) (*provider.Response, error) {
	content := m.composeResponse(b, call.Request, f)
	response := &provider.Response{Status: 200, UpstreamID: content.id}
	if call.Request.Stream {
		response.Events = newEventStream(ctx, content, m.pacingFor(f), f)
		return response, nil
	}
	if err := m.pacingFor(f).waitForAll(ctx, len(content.pieces)); err != nil {
		return nil, err
	}
	if f.BreakAfter != nil {
		return nil, errConnectionBroken
	}
	var err error
	response.Body, err = content.encodeCompletion()
	return response, err
}

// Embed returns a vector for every input. If the request has x_sandbox, it fails or waits
// as requested.
func (p *Provider) Embed(ctx context.Context, call provider.Call) (*provider.Response, error) {
	var b embedRequest
	m, f, err := prepare(ctx, call, catalog.Embeddings, &b)
	if err != nil {
		return nil, err
	}
	if f.Raw != nil {
		v, err := f.Raw.newProvider()
		if err != nil {
			return nil, err
		}
		return v.Embed(ctx, call)
	}
	if err := m.pacingFor(f).waitForAll(ctx, 0); err != nil {
		return nil, err
	}
	body, err := b.buildResponse(m.name, call.Request.InputTokens)
	return &provider.Response{Status: 200, Body: body, UpstreamID: responseID(call.Request, m.name)}, err
}

// prepare finds the model, decodes the body into request, and applies the parts of the fault
// that come before a response.
func prepare(ctx context.Context, call provider.Call, kind catalog.Kind, request interface{ script() jsontext.Value }) (model, fault, error) {
	m, err := findModel(call.UpstreamModel, kind)
	if err != nil {
		return m, fault{}, err
	}
	if err := decodeField(call.Request.Body, request, ""); err != nil {
		return m, fault{}, err
	}
	f, err := parseFault(request.script(), m.name)
	if err != nil {
		return m, f, err
	}
	return m, f, f.applyUpfront(ctx, call.Request.Stream)
}

func findModel(name string, kind catalog.Kind) (model, error) {
	for _, m := range models {
		if m.name == name && m.kind == kind {
			return m, nil
		}
	}
	return model{}, apperr.New(apperr.ProviderModelUnavailable,
		fmt.Sprintf("the sandbox has no model %q for %s", name, kind))
}

// responseID returns an id that is the same for the same request and model.
func responseID(r *requestbody.Request, model string) string {
	h := fnv.New64a()
	_, _ = h.Write(r.Body)
	_, _ = h.Write([]byte(model))
	return fmt.Sprintf("sandbox-%016x", h.Sum64())
}
