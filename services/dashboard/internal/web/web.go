// Package web serves the dashboard over HTTP: the pages of the app, sign-in forms
// that work without JavaScript, the documentation, and the JSON API under
// /api/v1, whose handlers are in the packages below internal/api. New builds the
// handler for browsers, and NewOperator builds the handler for the operator's
// command line. The package connects the handlers with their dependencies, adds
// the security headers, and shows errors as JSON or as a page. It stores nothing.
package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/accounts"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/alerts"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/livefeed"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/playground"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/system"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/views"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/rollout"
	"github.com/signalbox/signalbox/services/dashboard/internal/session"
	"github.com/signalbox/signalbox/services/dashboard/internal/signon"
)

// Deps are the handler's dependencies. PublicURL, EdgeURL, Carrier, Alerts and SignOn may be nil;
// all others are required.
type Deps struct {
	Accounts     keyauthv1.AccountServiceClient
	Router       routerv1.RouterServiceClient
	Policies     routerv1.PolicyServiceClient
	Catalog      *catalog.Catalog
	Ledger       readlimit.Ledger
	Evidence     quality.Writer
	Rollouts     rollout.Ledger
	Spend        accounts.SpendReader
	Feed         livefeed.Feed
	Running      livefeed.Board
	Completeness system.Completeness
	DeadLetters  system.DeadLetters
	Storage      system.StorageReader
	// Proxy sends requests to ProxyURL, the origin of a proxy.
	Proxy    http.RoundTripper
	ProxyURL *url.URL
	Shares   playground.Shares
	Views    views.Store
	Log      *slog.Logger
	// PublicURL is the origin that browsers use; nil means the listen address.
	PublicURL *url.URL
	// EdgeURL is the origin that API clients use; nil means PublicURL.
	EdgeURL *url.URL
	// BehindTrustedProxy is true if trusted load balancers are configured. Then
	// the address of a request is already the client's address.
	BehindTrustedProxy bool
	// Warnings returns warnings about the installation; nil for none.
	Warnings func() []string
	// LocalServers looks for model servers on this machine; nil if no proxy runs on it.
	LocalServers func(ctx context.Context) []system.LocalServer
	// Version is shown to users.
	Version   string
	Retention system.Retention
	// Carrier is nil if the records come from the same process.
	Carrier system.Carrier
	// Alerts is nil if this process cannot read the channels of alerts.
	Alerts      alerts.Store
	AlertSender alerts.Sender
	// NewAlertSource returns what measures the current values of alerts. It reads the given ledger,
	// which limits the reads of an account.
	NewAlertSource func(readlimit.Ledger) alert.Source
	// SignOn is nil if no issuers are configured.
	SignOn   *signon.Manager
	Timeouts Timeouts
}

type server struct {
	Deps
	sessions *session.Manager
	pages    pages
	assets   assets
	// authenticate returns the user of a request.
	authenticate access.Authenticate
	// started is when the handler was created.
	started time.Time
}

func newServer(d Deps) *server {
	d.Ledger = readlimit.New(d.Ledger, httpapi.MaxLimit)
	return &server{Deps: d, started: time.Now(), sessions: &session.Manager{
		Accounts: d.Accounts, Log: d.Log, Secure: d.PublicURL != nil && d.PublicURL.Scheme == "https", BehindTrustedProxy: d.BehindTrustedProxy,
	}}
}

// New returns the handler for browsers. It serves all paths, and is safe for
// concurrent use.
func New(d Deps) (http.Handler, error) {
	assets, err := newAssets()
	if err != nil {
		return nil, err
	}
	pages, err := loadPages()
	if err != nil {
		return nil, fmt.Errorf("load pages: %w", err)
	}
	s := newServer(d)
	s.pages, s.assets, s.authenticate = pages, assets, s.sessions.Identify
	guard := http.NewCrossOriginProtection()
	if d.PublicURL != nil {
		if err := guard.AddTrustedOrigin(d.PublicURL.String()); err != nil {
			return nil, fmt.Errorf("public url: %w", err)
		}
	}
	guard.SetDenyHandler(http.HandlerFunc(s.rejectCrossOrigin))
	compressed, err := compressResponses(s.recoverPanics(cleanPath(guard.Handler(s.newMux(s.routes())))))
	if err != nil {
		return nil, fmt.Errorf("compress responses: %w", err)
	}
	return s.withHeaders(compressed), nil
}
