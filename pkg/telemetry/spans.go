package telemetry

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// WithSpanIDs returns a context for starting one span that gets these ids. A service that creates
// spans after the fact has already sent the ids to others. The trace id is used only if the span has
// no parent.
func WithSpanIDs(ctx context.Context, ref TraceRef) context.Context {
	return context.WithValue(ctx, chosenKey{}, ref)
}

type chosenKey struct{}

// chosenIDs generates random ids, unless the context has chosen ones.
type chosenIDs struct{}

// NewIDs implements sdktrace.IDGenerator.
func (chosenIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if ref, ok := ctx.Value(chosenKey{}).(TraceRef); ok {
		return ref.TraceID, ref.SpanID
	}
	var id trace.TraceID
	binary.BigEndian.PutUint64(id[:8], rand.Uint64())
	binary.BigEndian.PutUint64(id[8:], rand.Uint64()|1) // an id must not be zero
	return id, NewSpanID()
}

// NewSpanID implements sdktrace.IDGenerator.
func (chosenIDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if ref, ok := ctx.Value(chosenKey{}).(TraceRef); ok {
		return ref.SpanID
	}
	return NewSpanID()
}

// NewSpanID returns a random span id, which is never zero.
func NewSpanID() (id [8]byte) {
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1)
	return id
}

// parseSampler returns the sampler that the standard variables of OpenTelemetry name. The default
// records all traces, unless the client has decided not to record a trace.
func parseSampler(name, arg string) (sdktrace.Sampler, error) {
	root, isParentBased := strings.CutPrefix(name, "parentbased_")
	var sampler sdktrace.Sampler
	switch root {
	case "":
		return sdktrace.ParentBased(sdktrace.AlwaysSample()), nil
	case "always_on":
		sampler = sdktrace.AlwaysSample()
	case "always_off":
		sampler = sdktrace.NeverSample()
	case "traceidratio":
		ratio := 1.0
		if arg != "" {
			var err error
			if ratio, err = strconv.ParseFloat(arg, 64); err != nil || ratio < 0 || ratio > 1 {
				return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG %q: must be a number from 0 to 1", arg)
			}
		}
		sampler = sdktrace.TraceIDRatioBased(ratio)
	default:
		return nil, fmt.Errorf("OTEL_TRACES_SAMPLER %q: must be always_on, always_off or traceidratio, or one of them with the prefix parentbased_", name)
	}
	if isParentBased {
		sampler = sdktrace.ParentBased(sampler)
	}
	return sampler, nil
}
