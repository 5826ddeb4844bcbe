package tracing

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// Export creates the spans of a finished request. It does nothing if they are not recorded.
func (t *Tracer) Export(r *ledger.Record) {
	if t.tracer == nil || r.Trace == nil || !r.Trace.IsRecorded {
		return
	}
	route := routeOf(r)
	ctx, server := t.start(parentContext(r.Trace), r, r.Trace.Span, "POST "+route, trace.SpanKindServer, 0)
	server.SetAttributes(serverAttributes(r, route)...)
	if r.Status >= http.StatusInternalServerError {
		server.SetStatus(codes.Error, r.Code)
	}
	t.exportDecision(ctx, r)
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.WasCalled() {
			t.exportAttempt(ctx, r, a)
			continue
		}
		server.AddEvent("skipped", trace.WithTimestamp(r.Time.Add(a.Started)), trace.WithAttributes(
			RequestModel.String(a.Candidate.Model), SignalboxProvider.String(a.Candidate.Provider), ErrorType.String(a.Code)))
	}
	end(server, r, r.Latency)
}

func (t *Tracer) start(ctx context.Context, r *ledger.Record, id [8]byte, name string, kind trace.SpanKind, at time.Duration) (context.Context, trace.Span) {
	ctx = telemetry.WithSpanIDs(ctx, telemetry.TraceRef{TraceID: r.Trace.TraceID, SpanID: id})
	return t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(r.Time.Add(at)))
}

func end(span trace.Span, r *ledger.Record, at time.Duration) {
	span.End(trace.WithTimestamp(r.Time.Add(at)))
}

// routeOf returns the path of the endpoint that served the request.
func routeOf(r *ledger.Record) string {
	switch {
	case r.Protocol == requestbody.Messages:
		return "/proxy/v1/messages"
	case r.Protocol == requestbody.Responses:
		return "/proxy/v1/responses"
	case r.Protocol == requestbody.Gemini:
		return "/proxy/v1beta/models/{model}"
	case r.Kind == catalog.Embeddings:
		return "/proxy/v1/embeddings"
	}
	return "/proxy/v1/chat/completions"
}

func serverAttributes(r *ledger.Record, route string) []attribute.KeyValue {
	all := []attribute.KeyValue{
		httpMethod.String(http.MethodPost), httpRoute.String(route), httpStatusCode.Int(r.Status),
		requestID.String(r.ID.String()), accountID.String(r.AccountID), keyID.String(r.KeyID),
		requestedModel.String(r.RequestedModel), outcomeName.String(string(r.Outcome)), attemptCount.Int(len(r.Attempts)),
	}
	all = appendText(all, routeName, string(r.Route))
	all = appendText(all, conversationID, r.Session)
	all = appendText(all, ErrorType, r.Code)
	if r.Decision != nil {
		all = append(all, policyHash.String(r.Decision.PolicyVersion), baselineModel.String(r.Decision.Baseline))
	}
	if r.Cost.Known {
		all = append(all, costNanoUSD.Int64(r.Cost.Nano))
	}
	if r.BaselineCost.Known {
		all = append(all, baselineNanoUSD.Int64(r.BaselineCost.Nano))
	}
	return all
}

// exportDecision creates the span of the decision, if the request reached it.
func (t *Tracer) exportDecision(ctx context.Context, r *ledger.Record) {
	if r.Decision == nil {
		return
	}
	_, span := t.start(ctx, r, telemetry.NewSpanID(), "route", trace.SpanKindInternal, r.RoutingStarted)
	all := []attribute.KeyValue{requestedModel.String(r.RequestedModel), policyHash.String(r.Decision.PolicyVersion)}
	all = appendText(all, reasonCode, r.Decision.Reason.Code)
	all = appendText(all, ruleName, r.Decision.Reason.Rule)
	plan := make([]string, len(r.Decision.Plan))
	for i, c := range r.Decision.Plan {
		plan[i] = c.Model + "@" + c.Provider
	}
	span.SetAttributes(append(all, planList.StringSlice(plan))...)
	end(span, r, r.RoutingStarted+r.RoutingTime)
}

func appendText(all []attribute.KeyValue, key attribute.Key, value string) []attribute.KeyValue {
	if value == "" {
		return all
	}
	return append(all, key.String(value))
}
