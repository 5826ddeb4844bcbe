// Package telemetry makes a process's log, metrics and traces, and serves what
// operators look at: /metrics, /health, /readyz and pprof on a listener of
// their own. Everything it makes is passed on by hand; otel's globals are never
// touched. Services declare their instruments themselves.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/config"
)

// otlpEndpoint is the collector's address, by the name that otel gave it.
const otlpEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

// Config is how a process shows itself.
type Config struct {
	// Service and Version name the process.
	Service string
	Version string
	// LogFormat is json, text or console; json if empty.
	LogFormat string
	// LogLevel is debug, info, warn or error; info if empty.
	LogLevel string
	// Getenv reads otel's own variables; nil reads none. If
	// OTEL_EXPORTER_OTLP_ENDPOINT is set, metrics and traces go there.
	Getenv func(string) string
}

// Register adds the settings of the log. The format that c holds is the
// default.
func (c *Config) Register(set *config.Set) {
	format := c.LogFormat
	if format == "" {
		format = formatJSON
	}
	set.OneOf(&c.LogFormat, "log-format", format, []string{formatJSON, formatText, formatConsole}, "how log lines look")
	set.OneOf(&c.LogLevel, "log-level", "info", []string{"debug", "info", "warn", "error"}, "the least important lines to log")
}

// Telemetry is what a process is seen by. All of it is safe for concurrent
// use.
type Telemetry struct {
	Log    *slog.Logger
	Meter  metric.MeterProvider
	Tracer trace.TracerProvider

	registry *prometheus.Registry
	stops    []func(context.Context) error
}

// New makes the telemetry of a process whose log goes to out. It connects to
// a collector, if there is one, in the background: a missing collector never
// stops a process. The caller calls Shutdown.
func New(ctx context.Context, cfg Config, out io.Writer) (*Telemetry, error) {
	log, err := newLog(cfg, out)
	if err != nil {
		return nil, err
	}
	t := &Telemetry{Log: log, registry: prometheus.NewRegistry()}
	endpoint := ""
	if cfg.Getenv != nil {
		endpoint = cfg.Getenv(otlpEndpoint)
	}
	if err := t.meter(ctx, cfg, endpoint); err != nil {
		return nil, errors.Join(fmt.Errorf("metrics: %w", err), t.Shutdown(ctx))
	}
	if err := t.tracer(ctx, cfg, endpoint); err != nil {
		return nil, errors.Join(fmt.Errorf("traces: %w", err), t.Shutdown(ctx))
	}
	return t, nil
}

// MetricsHandler answers with all metrics in the form of Prometheus.
func (t *Telemetry) MetricsHandler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{})
}

// Shutdown sends what is still held back to the collector, if there is one,
// and gives up when ctx ends. The log works on.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var errs []error
	for _, stop := range t.stops {
		errs = append(errs, stop(ctx))
	}
	return errors.Join(errs...)
}
