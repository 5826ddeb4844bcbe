package telemetry

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
)

// collector is a real OTLP endpoint that remembers names.
type collector struct {
	mu    sync.Mutex
	names []string
	// hold blocks Export of traces until it is closed, unless it is nil.
	hold chan struct{}
}

func (c *collector) saw(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names = append(c.names, name)
}

type traces struct {
	tracepb.UnimplementedTraceServiceServer
	*collector
}

func (c traces) Export(_ context.Context, req *tracepb.ExportTraceServiceRequest) (*tracepb.ExportTraceServiceResponse, error) {
	if c.hold != nil {
		<-c.hold
	}
	for _, r := range req.GetResourceSpans() {
		c.saw(r.GetResource().GetAttributes()[0].GetValue().GetStringValue())
		for _, s := range r.GetScopeSpans() {
			for _, span := range s.GetSpans() {
				c.saw("span " + span.GetName())
			}
		}
	}
	return &tracepb.ExportTraceServiceResponse{}, nil
}

type metrics struct {
	metricspb.UnimplementedMetricsServiceServer
	*collector
}

func (c metrics) Export(_ context.Context, req *metricspb.ExportMetricsServiceRequest) (*metricspb.ExportMetricsServiceResponse, error) {
	for _, r := range req.GetResourceMetrics() {
		for _, s := range r.GetScopeMetrics() {
			for _, m := range s.GetMetrics() {
				c.saw("metric " + m.GetName())
			}
		}
	}
	return &metricspb.ExportMetricsServiceResponse{}, nil
}

// serve starts the collector and returns an environment with its address.
func (c *collector) serve(t *testing.T) (getenv func(string) string) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := grpc.NewServer()
	tracepb.RegisterTraceServiceServer(srv, traces{collector: c})
	metricspb.RegisterMetricsServiceServer(srv, metrics{collector: c})
	go func() { _ = srv.Serve(lis) }()
	t.Cleanup(srv.Stop)
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + lis.Addr().String()}
	return func(name string) string { return env[name] }
}

func TestShutdownSendsAllToTheCollector(t *testing.T) {
	c := &collector{}
	tel, _ := start(t, Config{Service: "proxy", Getenv: c.serve(t)})
	_, span := tel.Tracer.Tracer("test").Start(t.Context(), "attempt")
	span.End()
	counter, err := tel.Meter.Meter("test").Int64Counter("signalbox_requests")
	require.NoError(t, err)
	counter.Add(t.Context(), 1)
	require.Contains(t, scrape(tel), "signalbox_requests_total 1", "a collector does not replace the scrape")
	require.NoError(t, tel.Shutdown(t.Context()))

	c.mu.Lock()
	defer c.mu.Unlock()
	require.Subset(t, c.names, []string{"proxy", "span attempt", "metric signalbox_requests"})
}

// While the collector does not accept spans, those with content must not fill the memory.
func TestFewLargeSpansWait(t *testing.T) {
	const created = 1000
	for name, tt := range map[string]struct {
		large     bool
		low, high int
	}{"small": {false, created, created}, "large": {true, largeQueue, largeQueue + 2*largeBatch}} {
		t.Run(name, func(t *testing.T) {
			c := &collector{hold: make(chan struct{})}
			tel, _ := start(t, Config{Service: "proxy", Getenv: c.serve(t), HasLargeSpans: tt.large})
			for range created {
				_, span := tel.Tracer.Tracer("test").Start(t.Context(), "attempt")
				span.End()
			}
			close(c.hold)
			require.NoError(t, tel.Shutdown(t.Context()))
			c.mu.Lock()
			defer c.mu.Unlock()
			sent := 0
			for _, n := range c.names {
				if n == "span attempt" {
					sent++
				}
			}
			require.GreaterOrEqual(t, sent, tt.low)
			require.LessOrEqual(t, sent, tt.high)
		})
	}
}
