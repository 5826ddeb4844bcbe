// Package quality serves the part of the API about how good responses are: the report
// of quality by model and task, the results of experiments, feedback of users on a request, and the import of feedback. Users see and rate only requests of their
// own account. web serves the routes.
package quality

import (
	"context"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Writer stores evidence.
type Writer interface {
	Insert(ctx context.Context, b record.Batch) error
}

// API holds the handlers and their dependencies.
type API struct {
	Ledger readlimit.Ledger
	Writer Writer
}

// Routes returns the API calls about quality.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/api/v1/quality", s.apiGetQuality),
		access.SignedIn("GET", "/api/v1/experiments", s.apiGetExperiments),
		access.Member("POST", "/api/v1/requests/{id}/feedback", s.apiRateRequest),
		access.Member("POST", "/api/v1/feedback", s.apiImportFeedback),
	}
}
