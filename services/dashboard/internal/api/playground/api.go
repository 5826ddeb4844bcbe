// Package playground serves the API of the page Playground, where users try requests.
// A run is a request that the dashboard relays to a proxy, which decides, limits and
// records it like every other request. The dashboard authenticates with a short-lived key
// that keyauth issues for the user. The browser never sees this key. The package also
// estimates the cost of a run and stores shared runs. web serves the routes.
package playground

import (
	"net/http"
	"net/url"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
)

// API holds the handlers and their dependencies.
type API struct {
	Accounts keyauthv1.AccountServiceClient
	Policies routerv1.PolicyServiceClient
	// Proxy sends requests to ProxyURL, the origin of a proxy.
	Proxy    http.RoundTripper
	ProxyURL *url.URL
	Shares   Shares
	// Authenticate returns the user of a request, with the role that the user has now.
	Authenticate access.Authenticate
	// CheckInterval is the time between two checks whether the user of a run may still use
	// the playground. Zero means five seconds.
	CheckInterval time.Duration

	keys keyCache
	// runs and estimates limit the bodies in memory. Estimates have slots of their own, so
	// that a page can estimate while all runs of the account are in progress.
	runs, estimates runLimiter
}

// Routes returns the API calls of the playground.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.Member("POST", "/api/v1/playground", s.apiRun),
		access.Member("POST", "/api/v1/playground/estimate", s.apiEstimate).WithScope(access.ScopeRead),
		access.Member("POST", "/api/v1/playground/shares", s.apiShareRun),
		access.Member("GET", "/api/v1/playground/shares/{id}", s.apiGetShare),
	}
}
