package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/accounts"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/alerts"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/export"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/livefeed"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/playground"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/policies"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/requests"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/rollouts"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/system"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/views"
	"github.com/signalbox/signalbox/services/dashboard/internal/signon"
)

// api holds the handlers under /api/v1 by subject.
type api struct {
	accounts   *accounts.API
	alerts     *alerts.API
	export     *export.API
	livefeed   *livefeed.API
	playground *playground.API
	policies   *policies.API
	quality    *quality.API
	requests   *requests.API
	rollouts   *rollouts.API
	system     *system.API
	views      *views.API
}

func (s *server) newAPI() *api {
	policy := &policies.API{Router: s.Router, Policies: s.Policies, Accounts: s.Accounts, Log: s.Log, Catalog: s.Catalog, Ledger: s.Ledger}
	rollout := &rollouts.API{Policies: s.Policies, Ledger: s.Rollouts}
	return &api{
		accounts:   &accounts.API{Accounts: s.Accounts, Policy: policy, Ledger: s.Ledger, Spend: s.Spend, PublicURL: s.PublicURL, Log: s.Log},
		alerts:     &alerts.API{Store: s.Alerts, Sender: s.AlertSender, Source: s.alertSource(), Accounts: s.Accounts, PublicURL: s.PublicURL, Log: s.Log},
		views:      &views.API{Store: s.Views},
		export:     &export.API{Ledger: s.Ledger, Log: s.Log},
		livefeed:   &livefeed.API{Feed: s.Feed, Running: s.Running, Log: s.Log, Authenticate: s.authenticate},
		playground: &playground.API{Accounts: s.Accounts, Policies: s.Policies, Proxy: s.Proxy, ProxyURL: s.ProxyURL, Shares: s.Shares, Authenticate: s.authenticate},
		policies:   policy,
		quality:    &quality.API{Ledger: s.Ledger, Writer: s.Evidence},
		requests:   &requests.API{Ledger: s.Ledger, Accounts: s.Accounts, Baseline: policy.BaselineOf, Log: s.Log, Notices: noticesOf(rollout)},
		rollouts:   rollout,
		system: &system.API{
			Accounts: s.Accounts, Router: s.Router, Completeness: s.Completeness, DeadLetters: s.DeadLetters, Storage: s.Storage,
			Carrier: s.Carrier, Retention: s.Retention, Warnings: s.Warnings, LocalServers: s.LocalServers, Version: s.Version, Log: s.Log, Started: s.started, PartTimeout: s.Timeouts.Parts,
		},
	}
}

// alertSource is nil if the deployment measures no alerts.
func (s *server) alertSource() alert.Source {
	if s.NewAlertSource == nil {
		return nil
	}
	return s.NewAlertSource(s.Ledger)
}

// noticesOf returns the notices of the overview.
func noticesOf(r *rollouts.API) func(context.Context, *access.Viewer) ([]requests.Notice, error) {
	return func(ctx context.Context, v *access.Viewer) ([]requests.Notice, error) {
		text, err := r.Notice(ctx, v)
		if text == "" {
			return nil, err
		}
		return []requests.Notice{{Text: text, Link: "/policy"}}, nil
	}
}

func (a *api) routes() []access.Route {
	return slices.Concat(a.accounts.Routes(), a.alerts.Routes(), a.export.Routes(), a.livefeed.Routes(), a.playground.Routes(), a.policies.Routes(), a.quality.Routes(), a.requests.Routes(), a.rollouts.Routes(), a.system.Routes(), a.views.Routes())
}

// routes returns all routes under /api/v1 and all pages, with their methods.
func (s *server) routes() map[string]methods {
	all := map[string]methods{}
	s.addRoutes(all, s.sessions.Routes(), s.handleAPI)
	s.addRoutes(all, s.newAPI().routes(), s.handleAPI)
	s.addRoutes(all, []access.Route{access.Public("GET", "/api/v1/openapi.json", s.apiGetOpenAPI)}, s.handleAPI)
	s.addRoutes(all, s.pageRoutes(), s.handlePage)
	return all
}

func (s *server) addRoutes(to map[string]methods, routes []access.Route, handle func(access.Action) http.Handler) {
	for _, route := range routes {
		if to[route.Pattern] == nil {
			to[route.Pattern] = methods{}
		}
		to[route.Pattern][route.Method] = handle(route.Action(s.authenticate))
	}
}

func (s *server) pageRoutes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/{$}", s.pageApp),
		access.SignedIn("GET", "/impact", s.pageApp),
		access.SignedIn("GET", "/quality", s.pageApp),
		access.SignedIn("GET", "/spend", s.pageApp),
		access.SignedIn("GET", "/errors", s.pageApp),
		access.SignedIn("GET", "/alerts", s.pageApp),
		access.SignedIn("GET", "/accounts", s.pageApp),
		access.SignedIn("GET", "/accounts/{page...}", s.pageApp),
		access.SignedIn("GET", "/models", s.pageApp),
		access.Public("GET", "/register", s.pageShowForm(registerForm)),
		access.Public("POST", "/register", s.pageSubmitForm(registerForm)),
		access.Public("GET", "/login", s.pageShowForm(loginForm)),
		access.Public("POST", "/login", s.pageSubmitForm(loginForm)),
		access.Public("GET", "/claim", s.pageShowForm(claimForm)),
		access.Public("POST", "/claim", s.pageSubmitForm(claimForm)),
		access.Public("GET", "/invite", s.pageShowForm(inviteForm)),
		access.Public("POST", "/invite", s.pageSubmitForm(inviteForm)),
		access.Public("GET", "/password", s.pageShowForm(passwordForm)),
		access.Public("POST", "/password", s.pageSubmitForm(passwordForm)),
		access.Public("POST", "/logout", s.pageLogout),
		access.Public("GET", signon.PathPrefix+"{name}", s.pageStartSignOn),
		access.Public("GET", signon.PathPrefix+"{name}/callback", s.pageFinishSignOn),
		access.SignedIn("GET", "/requests", s.pageApp),
		access.SignedIn("GET", "/requests/{page...}", s.pageApp),
		access.SignedIn("GET", "/sessions", s.pageApp),
		access.SignedIn("GET", "/sessions/{page...}", s.pageApp),
		access.SignedIn("GET", "/start", s.pageApp),
		access.SignedIn("GET", "/keys", s.pageApp),
		access.SignedIn("GET", "/keys/{page...}", s.pageApp),
		access.SignedIn("GET", "/account", s.pageApp),
		access.SignedIn("GET", "/account/{page...}", s.pageApp),
		access.SignedIn("GET", "/playground", s.pageApp),
		access.SignedIn("GET", "/policy", s.pageApp),
		access.SignedIn("GET", "/system", s.pageApp),
		access.SignedIn("GET", "/providers", s.pageApp),
		access.Public("GET", "/docs", s.pageDocs),
		access.Public("GET", "/docs/{page...}", s.pageDocs),
		access.Public("GET", "/docs/search", s.pageSearchDocs),
		access.Public("GET", "/assets/{name...}", s.serveAsset),
	}
}
