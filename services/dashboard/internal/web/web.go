// Package web is what people and programs see of the dashboard: the JSON API
// under /api/v1 and plain pages that work without a script. Both are thin
// faces of the same calls: the account service for who somebody is and what
// keys there are, the ledger for what happened. It stores nothing itself.
package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Ledger is where records are read.
type Ledger interface {
	Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error)
	Get(ctx context.Context, account string, id uuid.UUID) (*record.Record, error)
	Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
}

// Completeness is who can tell what was stored of what has arrived.
type Completeness interface {
	Completeness(ctx context.Context) ([]record.Producer, error)
}

// Deps is what the handler works with. All but PublicURL is needed.
type Deps struct {
	Accounts     keyauthv1.AccountServiceClient
	Router       routerv1.RouterServiceClient
	Ledger       Ledger
	Completeness Completeness
	Log          *slog.Logger
	// PublicURL is the origin that browsers see; nil means the address itself.
	PublicURL *url.URL
}

// readTimeout bounds what a request asks of the ledger.
const readTimeout = 10 * time.Second

type server struct {
	Deps
	secure bool // browsers come by TLS
	pages  pages
	assets assets
}

// New makes the handler of everything below /. It is safe for concurrent use.
func New(d Deps) (http.Handler, error) {
	assets := newAssets()
	pages, err := loadPages()
	if err != nil {
		return nil, fmt.Errorf("load pages: %w", err)
	}
	s := &server{Deps: d, pages: pages, assets: assets, secure: d.PublicURL != nil && d.PublicURL.Scheme == "https"}
	guard := http.NewCrossOriginProtection()
	if d.PublicURL != nil {
		if err := guard.AddTrustedOrigin(d.PublicURL.String()); err != nil {
			return nil, fmt.Errorf("public url: %w", err)
		}
	}
	guard.SetDenyHandler(http.HandlerFunc(s.crossOrigin))
	return s.identified(s.guarded(clean(guard.Handler(s.mux())))), nil
}

// routes is every address below /api/v1 and every page, with its methods.
func (s *server) routes() map[string]methods {
	api, page := s.api, s.page
	return map[string]methods{
		"/api/v1/register":         {"POST": api(s.apiRegister)},
		"/api/v1/login":            {"POST": api(s.apiLogin)},
		"/api/v1/claim":            {"POST": api(s.apiClaim)},
		"/api/v1/logout":           {"POST": api(s.apiLogout)},
		"/api/v1/session":          {"GET": api(s.signedIn(s.apiSession))},
		"/api/v1/account":          {"GET": api(s.signedIn(s.apiAccount)), "PATCH": api(s.signedIn(s.apiUpdateAccount))},
		"/api/v1/keys":             {"GET": api(s.signedIn(s.apiKeys)), "POST": api(s.signedIn(s.apiCreateKey))},
		"/api/v1/keys/{id}":        {"PATCH": api(s.signedIn(s.apiUpdateKey)), "DELETE": api(s.signedIn(s.apiRevokeKey))},
		"/api/v1/keys/{id}/rotate": {"POST": api(s.signedIn(s.apiRotateKey))},
		"/api/v1/requests":         {"GET": api(s.signedIn(s.apiRequests))},
		"/api/v1/requests/export":  {"GET": api(s.signedIn(s.apiExport))},
		"/api/v1/requests/{id}":    {"GET": api(s.signedIn(s.apiRequest))},
		"/api/v1/impact":           {"GET": api(s.signedIn(s.apiImpact))},
		"/api/v1/completeness":     {"GET": api(s.operator(s.apiCompleteness))},
		"/api/v1/providers":        {"GET": api(s.operator(s.apiProviders))},

		"/{$}":              {"GET": page(s.pageHome)},
		"/register":         {"GET": page(s.pageForm(registerForm)), "POST": page(s.pageSignIn(registerForm))},
		"/login":            {"GET": page(s.pageForm(loginForm)), "POST": page(s.pageSignIn(loginForm))},
		"/claim":            {"GET": page(s.pageForm(claimForm)), "POST": page(s.pageSignIn(claimForm))},
		"/logout":           {"POST": page(s.pageLogout)},
		"/requests":         {"GET": page(s.signedIn(s.pageRequests))},
		"/requests/{id}":    {"GET": page(s.signedIn(s.pageRequest))},
		"/keys":             {"GET": page(s.signedIn(s.pageKeys)), "POST": page(s.signedIn(s.pageCreateKey))},
		"/keys/{id}/revoke": {"POST": page(s.signedIn(s.pageRevokeKey))},
		"/assets/{name}":    {"GET": page(s.asset)},
	}
}
