// Package tracing turns finished records into spans of OpenTelemetry, with the names of the GenAI
// conventions. A request has this shape:
//
//	SERVER   POST /proxy/v1/chat/completions   the request, child of the client's span
//	INTERNAL route                             the decision
//	CLIENT   chat gpt-4.1                      one for each call to an upstream
//
// While a request runs, only the ids of its spans exist: they are sent to upstreams. The spans are
// created after the client has the response, so they add nothing to its latency. If spans are not
// collected, the package only reads the client's traceparent, to pass it on.
package tracing

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/tracecontext"
)

// Config configures a Tracer.
type Config struct {
	// Provider and Sampler are those of the process. Sampler is nil if spans are not collected.
	Provider trace.TracerProvider
	Sampler  sdktrace.Sampler
	// Content adds the captured content of requests and responses to the spans.
	Content bool
	// Policy returns the current policy; nil if there is none.
	Policy func() *policy.Policy
}

// Tracer creates the spans of requests. It is safe for concurrent use.
type Tracer struct {
	cfg    Config
	tracer trace.Tracer
}

// New returns a Tracer.
func New(cfg Config) *Tracer {
	t := &Tracer{cfg: cfg}
	if cfg.Sampler != nil {
		t.tracer = cfg.Provider.Tracer("signalbox/proxy")
	}
	return t
}

// Start returns the trace of a request, or nil if it has none.
func (t *Tracer) Start(id uuid.UUID, h http.Header) *tracecontext.Context {
	parents := h[tracecontext.ParentHeader]
	if len(parents) == 0 && t.tracer == nil {
		return nil
	}
	c, ok := tracecontext.Parse(parents, h[tracecontext.StateHeader])
	if t.tracer == nil {
		if !ok {
			return nil
		}
		return &c
	}
	if !ok {
		c.TraceID = newTraceID(id)
	}
	c.IsRecorded = t.isSampled(&c)
	c.SetSampled(c.IsRecorded)
	if c.IsRecorded {
		c.Span = telemetry.NewSpanID()
	} else if !ok {
		return nil
	}
	return &c
}

// newTraceID returns the id of a trace that begins with a request. It begins like the id of the
// request. The rest is random, because samplers decide by it, and the id of the request has fixed
// bits there.
func newTraceID(request uuid.UUID) (id [16]byte) {
	copy(id[:8], request[:8])
	binary.BigEndian.PutUint64(id[8:], rand.Uint64())
	return id
}

func (t *Tracer) isSampled(c *tracecontext.Context) bool {
	result := t.cfg.Sampler.ShouldSample(sdktrace.SamplingParameters{
		ParentContext: parentContext(c), TraceID: c.TraceID, Kind: trace.SpanKindServer,
	})
	return result.Decision == sdktrace.RecordAndSample
}

// parentContext returns a context with the client's span.
func parentContext(c *tracecontext.Context) context.Context {
	ctx := context.Background()
	if c.Parent == [8]byte{} {
		return ctx
	}
	state, _ := trace.ParseTraceState(c.State) // an invalid state is empty
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: c.TraceID, SpanID: c.Parent, TraceFlags: trace.TraceFlags(c.Flags), TraceState: state, Remote: true,
	}))
}

// Upstream describes where a candidate is called.
type Upstream struct {
	// Vendor is gen_ai.provider.name.
	Vendor string
	// Model is the upstream's own name of the model.
	Model   string
	Address string
	Port    int
}

// FindUpstream describes a candidate by the current policy. The name of a provider that the policy
// no longer has counts as its vendor.
func (t *Tracer) FindUpstream(c decide.Candidate) Upstream {
	u := Upstream{Vendor: c.Provider, Model: c.Model}
	p := t.cfg.Policy()
	if p == nil {
		return u
	}
	if m, ok := p.Model(c.Model); ok {
		if e, ok := m.EndpointAt(c.Provider); ok {
			u.Model = e.UpstreamModel
		}
	}
	if prov, ok := p.Provider(c.Provider); ok {
		u.setProvider(prov)
	}
	return u
}

func (u *Upstream) setProvider(p *policy.Provider) {
	base, err := url.Parse(p.BaseURL)
	if err != nil {
		return
	}
	u.Vendor, u.Address = vendorOf(p.Name, p.Kind, base.Hostname()), base.Hostname()
	switch {
	case base.Port() != "":
		u.Port, _ = strconv.Atoi(base.Port())
	case base.Scheme == "https":
		u.Port = 443
	case base.Scheme == "http":
		u.Port = 80
	}
}
