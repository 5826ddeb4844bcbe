package recordcodec

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// The tables of enum values. An unknown value becomes 0, which means unspecified.
var (
	routes = map[decide.Route]recordv1.Route{
		decide.RouteExpected: recordv1.Route_ROUTE_EXPECTED,
		decide.RouteFallback: recordv1.Route_ROUTE_FALLBACK,
		decide.RoutePolicy:   recordv1.Route_ROUTE_POLICY,
	}
	outcomes = map[ledger.Outcome]recordv1.Outcome{
		ledger.OK:           recordv1.Outcome_OUTCOME_OK,
		ledger.Error:        recordv1.Outcome_OUTCOME_ERROR,
		ledger.Rejected:     recordv1.Outcome_OUTCOME_REJECTED,
		ledger.Interrupted:  recordv1.Outcome_OUTCOME_INTERRUPTED,
		ledger.ClientClosed: recordv1.Outcome_OUTCOME_CLIENT_CLOSED,
		ledger.Aborted:      recordv1.Outcome_OUTCOME_ABORTED,
	}
	captures = map[ledger.Capture]recordv1.Capture{
		ledger.CaptureNone:     recordv1.Capture_CAPTURE_NONE,
		ledger.CaptureFull:     recordv1.Capture_CAPTURE_FULL,
		ledger.CaptureRedacted: recordv1.Capture_CAPTURE_REDACTED,
		ledger.CaptureDropped:  recordv1.Capture_CAPTURE_DROPPED,
	}
)

func toEndpoint(k catalog.Kind) recordv1.Endpoint {
	if k == catalog.Embeddings {
		return recordv1.Endpoint_ENDPOINT_EMBEDDINGS
	}
	return recordv1.Endpoint_ENDPOINT_CHAT
}
