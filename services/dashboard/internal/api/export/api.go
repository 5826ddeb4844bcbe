// Package export writes files for download: all requests that match a query as
// CSV or NDJSON with a manifest of checksums, and the impact as CSV. Equal
// records give equal bytes, so a repeated export can be compared with its
// manifest. No cell of a CSV file starts a spreadsheet formula. An export that
// fails is aborted, so that the client does not take it for complete. web serves
// the routes, and requests writes the impact.
package export

import (
	"log/slog"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
)

// API holds the handlers and their dependencies.
type API struct {
	Ledger readlimit.Pages
	Log    *slog.Logger
}

// Routes returns the API calls for exports.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/api/v1/requests/export", s.apiExportRequests),
		access.SignedIn("GET", "/api/v1/requests/export/manifest", s.apiExportManifest),
	}
}
