// Package requests serves the part of the API that reads the ledger: the list of
// requests, one request, the sessions of agents, and the sums over many of them, as a histogram, an
// overview, the impact of routing, the spend by group, the attempts by endpoint and the causes of errors. API declares the
// routes. Users see only the records of their own account; owners of the operator's account also see the spend of others. web serves the routes.
package requests

import (
	"context"
	"log/slog"

	"google.golang.org/grpc"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
)

// API holds the handlers and their dependencies.
type API struct {
	Ledger   readlimit.Ledger
	Accounts AccountReader
	// Baseline returns the default model of a user's account.
	Baseline func(ctx context.Context, v *access.Viewer) (string, error)
	// Notices returns what the user should know about the installation.
	Notices func(ctx context.Context, v *access.Viewer) ([]Notice, error)
	Log     *slog.Logger
}

// Notice is a message on the overview.
type Notice struct {
	Text string `json:"text"`
	// Link is the page with the details.
	Link string `json:"link"`
}

// AccountReader returns an account.
type AccountReader interface {
	GetAccount(context.Context, *keyauthv1.GetAccountRequest, ...grpc.CallOption) (*keyauthv1.GetAccountResponse, error)
}

// Routes returns the API calls for requests.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/api/v1/requests", s.apiListRequests),
		access.SignedIn("GET", "/api/v1/requests/histogram", s.apiGetHistogram),
		access.SignedIn("GET", "/api/v1/requests/facets", s.apiGetFacets),
		access.SignedIn("GET", "/api/v1/requests/{id}", s.apiGetRequest),
		access.SignedIn("GET", "/api/v1/sessions", s.apiListSessions),
		access.SignedIn("GET", "/api/v1/sessions/{id}", s.apiGetSession),
		access.SignedIn("GET", "/api/v1/overview", s.apiGetOverview),
		access.SignedIn("GET", "/api/v1/impact", s.apiGetImpact),
		access.SignedIn("GET", "/api/v1/spend", s.apiGetSpend),
		access.SignedIn("GET", "/api/v1/spend/top", s.apiGetTopSpend),
		access.SignedIn("GET", "/api/v1/spend/volume", s.apiGetVolume),
		access.OperatorOwner("GET", "/api/v1/accounts/{id}/spend", s.apiGetAccountSpend),
		access.SignedIn("GET", "/api/v1/attempts", s.apiSumAttempts),
		access.SignedIn("GET", "/api/v1/errors", s.apiListErrors),
	}
}
