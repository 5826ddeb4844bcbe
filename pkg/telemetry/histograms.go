package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// Seconds is HistogramSpec.PerUnit for values in nanoseconds.
const Seconds = int64(time.Second)

// Histograms holds the histograms of a process. It passes them to the Prometheus page and to the
// collector. A nil *Histograms creates families that are not exported.
type Histograms struct {
	mu       sync.Mutex
	families []*HistogramFamily
}

// New returns the family of a name, and creates it at first. Services that share a process share
// their families.
func (h *Histograms) New(spec HistogramSpec) *HistogramFamily {
	if h == nil {
		return newFamily(spec)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.families {
		if f.spec.Name == spec.Name {
			return f
		}
	}
	f := newFamily(spec)
	h.families = append(h.families, f)
	return f
}

// Produce implements metric.Producer of OpenTelemetry's SDK.
func (h *Histograms) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	out := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: "signalbox"}}
	for _, f := range h.families {
		if points := f.collect(now); len(points) > 0 {
			out.Metrics = append(out.Metrics, metricdata.Metrics{
				Name: f.spec.Name, Unit: f.spec.Unit, Description: f.spec.Description,
				Data: metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality, DataPoints: points},
			})
		}
	}
	return []metricdata.ScopeMetrics{out}, nil
}

func (f *HistogramFamily) collect(now time.Time) []metricdata.HistogramDataPoint[float64] {
	f.mu.Lock()
	defer f.mu.Unlock()
	points := make([]metricdata.HistogramDataPoint[float64], 0, len(f.all))
	for _, h := range f.all {
		points = append(points, h.collect(f, now))
	}
	return points
}

// DoublingBounds returns n upper bounds, each twice the one before.
func DoublingBounds(first time.Duration, n int) []int64 {
	bounds := make([]int64, n)
	for i := range bounds {
		bounds[i] = int64(first) << i
	}
	return bounds
}
