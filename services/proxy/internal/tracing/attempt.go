package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/tracecontext"
)

// exportAttempt creates the span of one call to an upstream.
func (t *Tracer) exportAttempt(ctx context.Context, r *ledger.Record, a *ledger.Attempt) {
	to := t.FindUpstream(a.Candidate)
	operation := Operation(r.Kind, to.Vendor)
	_, span := t.start(ctx, r, a.Span, operation+" "+a.Candidate.Model, trace.SpanKindClient, a.Started)
	span.SetAttributes(
		OperationName.String(operation), ProviderName.String(to.Vendor), SignalboxProvider.String(a.Candidate.Provider),
		RequestModel.String(a.Candidate.Model), requestStream.Bool(r.Stream),
	)
	if to.Address != "" {
		span.SetAttributes(serverAddress.String(to.Address), serverPort.Int(to.Port))
	}
	span.SetAttributes(optionAttributes(r)...)
	span.SetAttributes(resultAttributes(r, a, to)...)
	if a.Code != "" {
		span.SetStatus(codes.Error, a.Code)
		span.SetAttributes(ErrorType.String(a.Code))
	}
	if t.cfg.Content && a.Candidate == r.Served {
		span.SetAttributes(contentAttributes(r)...)
	}
	end(span, r, a.Ended)
}

// optionAttributes returns what the client requested.
func optionAttributes(r *ledger.Record) []attribute.KeyValue {
	all := appendText(nil, conversationID, r.Session)
	if r.Question != nil && r.Question.MaxOutputTokens > 0 {
		all = append(all, requestMaxTokens.Int64(r.Question.MaxOutputTokens))
	}
	return append(all, samplingAttributes(&r.Trace.Options)...)
}

func samplingAttributes(o *tracecontext.Options) (all []attribute.KeyValue) {
	if o.Temperature != nil {
		all = append(all, requestTemperature.Float64(*o.Temperature))
	}
	if o.TopP != nil {
		all = append(all, requestTopP.Float64(*o.TopP))
	}
	if o.Seed != nil {
		all = append(all, requestSeed.Int64(*o.Seed))
	}
	if o.Choices > 1 {
		all = append(all, requestChoiceCount.Int(o.Choices))
	}
	return all
}

// resultAttributes returns what the upstream responded.
func resultAttributes(r *ledger.Record, a *ledger.Attempt, to Upstream) []attribute.KeyValue {
	all := appendText(nil, upstreamID, a.UpstreamID)
	if a.Status != 0 {
		all = append(all, httpStatusCode.Int(a.Status))
	}
	if a.Code == "" {
		all = append(all, responseModel.String(to.Model))
	}
	if a.Code == "" && r.Kind == catalog.Chat && r.Protocol == requestbody.ChatCompletions {
		all = append(all, responseID.String("chatcmpl-"+r.ID.String()))
	}
	if r.Stream && a.FirstToken > a.Started {
		all = append(all, firstChunk.Float64((a.FirstToken - a.Started).Seconds()))
	}
	if a.Cost.Known {
		all = append(all, costNanoUSD.Int64(a.Cost.Nano))
	}
	return append(all, usageAttributes(a.Usage)...)
}

func usageAttributes(u *catalog.Usage) []attribute.KeyValue {
	if u == nil {
		return nil
	}
	all := []attribute.KeyValue{inputTokens.Int64(TotalInput(u)), outputTokens.Int64(u.Output)}
	for _, part := range []struct {
		key    attribute.Key
		tokens int64
	}{{cacheReadTokens, u.CacheRead}, {cacheWriteTokens, u.CacheWrite}, {reasoningTokens, u.Reasoning}} {
		if part.tokens > 0 {
			all = append(all, part.key.Int64(part.tokens))
		}
	}
	return all
}
