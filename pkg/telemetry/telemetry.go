// Package telemetry creates the log, metrics and traces of a process. It serves /metrics, /health,
// /readyz and pprof on a separate admin listener. Callers receive the log, meter and tracer as
// values; the package never uses the globals of OpenTelemetry. Services define their own metrics.
package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/config"
)

// otlpEndpoint is OpenTelemetry's standard variable for the collector's address.
const otlpEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

// Config configures the telemetry of a process.
type Config struct {
	// Service and Version identify the process in logs, metrics and traces.
	Service string
	Version string
	// LogFormat is json, text or console; json if empty.
	LogFormat string
	// LogLevel is debug, info, warn or error; info if empty.
	LogLevel string
	// Getenv reads environment variables. If it is nil, no variable is read. If the variable
	// OTEL_EXPORTER_OTLP_ENDPOINT is set, metrics and traces are sent to that address. The variables
	// OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG select the traces.
	Getenv func(string) string
	// HasLargeSpans means that spans contain the content of requests. Fewer of them wait for the
	// collector then, and the others are dropped.
	HasLargeSpans bool
}

// Register adds the log settings to a set. The default format is c.LogFormat.
func (c *Config) Register(set *config.Set) {
	set.OneOf(&c.LogFormat, "log-format", cmp.Or(c.LogFormat, formatJSON), []string{formatJSON, formatText, formatConsole}, "format of log lines")
	set.OneOf(&c.LogLevel, "log-level", "info", []string{"debug", "info", "warn", "error"}, "minimum level of log lines")
}

// Telemetry holds the log, meter and tracer of a process. It is safe for concurrent use.
type Telemetry struct {
	Log    *slog.Logger
	Meter  metric.MeterProvider
	Tracer trace.TracerProvider
	// Histograms are exported with the metrics of Meter.
	Histograms *Histograms
	// Sampler decides which traces are recorded. It is nil if no spans are collected.
	Sampler sdktrace.Sampler

	registry  *prometheus.Registry
	shutdowns []func(context.Context) error
}

// New creates the telemetry of a process. The log is written to out. New connects to the collector in
// the background, so a missing collector does not prevent the start. The caller must call Shutdown.
func New(ctx context.Context, cfg Config, out io.Writer) (*Telemetry, error) {
	log, err := newLog(cfg, out)
	if err != nil {
		return nil, err
	}
	t := &Telemetry{Log: log, Histograms: &Histograms{}, registry: prometheus.NewRegistry()}
	endpoint := ""
	if cfg.Getenv != nil {
		endpoint = cfg.Getenv(otlpEndpoint)
	}
	if err := t.setUpMetrics(ctx, cfg, endpoint); err != nil {
		return nil, errors.Join(fmt.Errorf("metrics: %w", err), t.Shutdown(ctx))
	}
	if err := t.setUpTracing(ctx, cfg, endpoint); err != nil {
		return nil, errors.Join(fmt.Errorf("traces: %w", err), t.Shutdown(ctx))
	}
	return t, nil
}

// MetricsHandler serves all metrics in the Prometheus format. Clients that accept OpenMetrics, as
// Prometheus does, also get the exemplars.
func (t *Telemetry) MetricsHandler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// Shutdown sends the remaining metrics and traces to the collector, at most until ctx is done. The log
// still works afterwards.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var errs []error
	for _, stop := range t.shutdowns {
		errs = append(errs, stop(ctx))
	}
	return errors.Join(errs...)
}
