// Package quality serves the part of the API about how good responses are: feedback of
// users on a request, and the import of feedback. Users see and rate only requests of their
// own account. web serves the routes.
package quality

import (
	"context"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Ledger stores and reads evidence.
type Ledger interface {
	Get(ctx context.Context, account string, id uuid.UUID) (*record.Record, error)
	Evidence(ctx context.Context, account string, id [16]byte) ([]evidence.Item, error)
	Insert(ctx context.Context, b record.Batch) error
}

// API holds the handlers and their dependencies.
type API struct {
	Ledger Ledger
}

// Routes returns the API calls about quality.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.Member("POST", "/api/v1/requests/{id}/feedback", s.apiRateRequest),
		access.Member("POST", "/api/v1/feedback", s.apiImportFeedback),
	}
}
