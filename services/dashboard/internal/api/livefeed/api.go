// Package livefeed sends new records to browsers as server-sent events. A stream
// has up to 20 filters, resumes after the last event that the client received,
// and ends when the user signs out or the server shuts down. The number of open
// filters is limited, in total and per account. API declares the route, and web
// serves it.
package livefeed

import (
	"log/slog"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
)

// API holds the handler and its dependencies.
type API struct {
	Feed Feed
	// Running returns the requests in progress; nil if the transport does not report them.
	Running Board
	Log     *slog.Logger
	// Authenticate checks whether the user of a stream is still signed in.
	Authenticate access.Authenticate

	// streams limits how many filters the open live views follow.
	streams streamLimiter
}

// Routes returns the API call for the live feed.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/api/v1/requests/stream", s.apiStreamRequests),
	}
}
