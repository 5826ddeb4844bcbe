package telemetry

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	promexport "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// largeQueue is how many large spans wait, and largeBatch how many are sent at once.
const largeQueue, largeBatch = 64, 8

func (t *Telemetry) setUpMetrics(ctx context.Context, cfg Config, endpoint string) error {
	prom, err := promexport.New(promexport.WithRegisterer(t.registry), promexport.WithoutScopeInfo(), promexport.WithProducer(t.Histograms))
	err = errors.Join(err,
		t.registry.Register(collectors.NewGoCollector()),
		t.registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})))
	if err != nil {
		return err
	}
	opts := []sdkmetric.Option{sdkmetric.WithResource(serviceResource(cfg)), sdkmetric.WithReader(prom)}
	if endpoint != "" {
		exporter, err := otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithEndpointURL(endpoint))
		if err != nil {
			return err
		}
		opts = append(opts, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithProducer(t.Histograms))))
	}
	provider := sdkmetric.NewMeterProvider(opts...)
	t.Meter = provider
	t.shutdowns = append(t.shutdowns, provider.Shutdown)
	return nil
}

// setUpTracing sets up a tracer. It records spans only if endpoint, the collector's address, is set.
func (t *Telemetry) setUpTracing(ctx context.Context, cfg Config, endpoint string) error {
	if endpoint == "" {
		t.Tracer = noop.NewTracerProvider()
		return nil
	}
	sampler, err := parseSampler(cfg.Getenv("OTEL_TRACES_SAMPLER"), cfg.Getenv("OTEL_TRACES_SAMPLER_ARG"))
	if err != nil {
		return err
	}
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(endpoint))
	if err != nil {
		return err
	}
	t.Sampler = sampler
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(serviceResource(cfg)), sdktrace.WithBatcher(exporter, batchOptions(cfg)...),
		sdktrace.WithSampler(sampler), sdktrace.WithIDGenerator(chosenIDs{}))
	t.Tracer = provider
	t.shutdowns = append(t.shutdowns, provider.Shutdown)
	return nil
}

// batchOptions bounds the memory of spans that wait while the collector is away. A span with content
// can have half a megabyte.
func batchOptions(cfg Config) []sdktrace.BatchSpanProcessorOption {
	if !cfg.HasLargeSpans {
		return nil
	}
	return []sdktrace.BatchSpanProcessorOption{sdktrace.WithMaxQueueSize(largeQueue), sdktrace.WithMaxExportBatchSize(largeBatch)}
}

func serviceResource(cfg Config) *resource.Resource {
	return resource.NewSchemaless(
		attribute.String("service.name", cfg.Service),
		attribute.String("service.version", cfg.Version),
	)
}
