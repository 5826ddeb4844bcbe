package rpc

import (
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/telemetry"
)

// callTimes measures the unary calls of a server. Streams are not measured, because their duration
// says nothing.
type callTimes struct {
	family *telemetry.HistogramFamily
	// known maps a callKey to its *telemetry.Histogram. Methods and codes are few: unknown methods
	// never reach it.
	known sync.Map
}

type callKey struct {
	method string
	code   codes.Code
}

// newCallTimes returns nil if calls are not measured.
func newCallTimes(h *telemetry.Histograms) *callTimes {
	if h == nil {
		return nil
	}
	return &callTimes{family: h.New(telemetry.HistogramSpec{
		Name: "signalbox_rpc", Unit: "s", Description: "Duration of the gRPC calls that this process served, without streams, by method and code.",
		Bounds: telemetry.DoublingBounds(time.Millisecond/4, 14), PerUnit: telemetry.Seconds,
	})}
}

func (c *callTimes) observe(method string, began time.Time, err error) {
	if c == nil {
		return
	}
	key := callKey{method, status.Code(err)}
	found, ok := c.known.Load(key)
	if !ok {
		found, _ = c.known.LoadOrStore(key, c.family.With(
			attribute.String("method", strings.TrimPrefix(method, "/")), attribute.String("code", key.code.String())))
	}
	found.(*telemetry.Histogram).Observe(int64(time.Since(began)))
}
