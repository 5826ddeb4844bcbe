package rpc

import (
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	meternoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc/stats"
)

func serverTracing(tracer trace.TracerProvider) stats.Handler {
	if !isTraced(tracer) {
		return nil
	}
	return otelgrpc.NewServerHandler(tracingOptions(tracer)...)
}

func clientTracing(tracer trace.TracerProvider) stats.Handler {
	if !isTraced(tracer) {
		return nil
	}
	return otelgrpc.NewClientHandler(tracingOptions(tracer)...)
}

// isTraced returns false if no spans are collected, to avoid their cost.
func isTraced(tracer trace.TracerProvider) bool {
	_, off := tracer.(noop.TracerProvider)
	return tracer != nil && !off
}

// tracingOptions sets every provider, because otelgrpc would otherwise use otel's
// globals.
func tracingOptions(tracer trace.TracerProvider) []otelgrpc.Option {
	return []otelgrpc.Option{
		otelgrpc.WithTracerProvider(tracer),
		otelgrpc.WithMeterProvider(meternoop.NewMeterProvider()),
		otelgrpc.WithPropagators(propagation.TraceContext{}),
	}
}
