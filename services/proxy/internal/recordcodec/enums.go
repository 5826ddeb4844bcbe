package recordcodec

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

func toRoute(r decide.Route) recordv1.Route {
	switch r {
	case decide.RouteExpected:
		return recordv1.Route_ROUTE_EXPECTED
	case decide.RouteFallback:
		return recordv1.Route_ROUTE_FALLBACK
	case decide.RoutePolicy:
		return recordv1.Route_ROUTE_POLICY
	}
	return recordv1.Route_ROUTE_UNSPECIFIED
}

func toOutcome(o ledger.Outcome) recordv1.Outcome {
	switch o {
	case ledger.OK:
		return recordv1.Outcome_OUTCOME_OK
	case ledger.Error:
		return recordv1.Outcome_OUTCOME_ERROR
	case ledger.Rejected:
		return recordv1.Outcome_OUTCOME_REJECTED
	case ledger.Interrupted:
		return recordv1.Outcome_OUTCOME_INTERRUPTED
	case ledger.ClientClosed:
		return recordv1.Outcome_OUTCOME_CLIENT_CLOSED
	case ledger.Aborted:
		return recordv1.Outcome_OUTCOME_ABORTED
	}
	return recordv1.Outcome_OUTCOME_UNSPECIFIED
}

func toEndpoint(k catalog.Kind) recordv1.Endpoint {
	if k == catalog.Embeddings {
		return recordv1.Endpoint_ENDPOINT_EMBEDDINGS
	}
	return recordv1.Endpoint_ENDPOINT_CHAT
}

func toCapture(c ledger.Capture) recordv1.Capture {
	switch c {
	case ledger.CaptureNone:
		return recordv1.Capture_CAPTURE_NONE
	case ledger.CaptureFull:
		return recordv1.Capture_CAPTURE_FULL
	case ledger.CaptureRedacted:
		return recordv1.Capture_CAPTURE_REDACTED
	case ledger.CaptureDropped:
		return recordv1.Capture_CAPTURE_DROPPED
	}
	return recordv1.Capture_CAPTURE_UNSPECIFIED
}

func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
