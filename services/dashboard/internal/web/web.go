// Package web serves the dashboard over HTTP: the JSON API under /api/v1, the app
// that uses the API, sign-in forms that work without JavaScript, and the
// documentation. New builds the handler for browsers, and NewOperator builds the
// handler for the operator's command line. The handlers call keyauth for accounts,
// keys and sessions, the router for policies, and the ledger for records. The
// package stores nothing.
package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/records"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/docsite"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Ledger reads the records of requests.
type Ledger interface {
	Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error)
	Get(ctx context.Context, account string, id uuid.UUID) (*record.Record, error)
	Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
	Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error)
	Figures(ctx context.Context, q record.Query) (record.Figures, error)
}

// Completeness returns how many records each producer (a proxy's spool) sent, and
// how many of them are stored.
type Completeness interface {
	Completeness(ctx context.Context) ([]record.Producer, error)
	FindGaps(ctx context.Context, producer string, last int64, limit int) ([]records.Range, error)
}

// Deps are the handler's dependencies. PublicURL, EdgeURL and Carrier may be nil;
// all others are required.
type Deps struct {
	Accounts     keyauthv1.AccountServiceClient
	Router       routerv1.RouterServiceClient
	Policies     routerv1.PolicyServiceClient
	Catalog      *catalog.Catalog
	Ledger       Ledger
	Spend        SpendReader
	Feed         Feed
	Completeness Completeness
	DeadLetters  DeadLetters
	Storage      StorageReader
	Log          *slog.Logger
	// PublicURL is the origin that browsers use; nil means the listen address.
	PublicURL *url.URL
	// EdgeURL is the origin that API clients use; nil means PublicURL.
	EdgeURL *url.URL
	// BehindTrustedProxy is true if trusted load balancers are configured. Then
	// the address of a request is already the client's address.
	BehindTrustedProxy bool
	// Version is shown to users.
	Version   string
	Retention Retention
	// Carrier is nil if the records come from the same process.
	Carrier Carrier
}

// readTimeout limits the ledger reads of a request.
const readTimeout = 10 * time.Second

type server struct {
	Deps
	secure  bool // browsers use TLS
	pages   pages
	assets  assets
	docs    *docsite.Site
	started time.Time
	// streams limits how many filters the open live views follow.
	streams *streamLimiter
	// authenticate returns the signed-in user of a request.
	authenticate func(*http.Request) (*viewer, error)
}

func newServer(d Deps) *server {
	d.Ledger = limitReads(d.Ledger)
	return &server{Deps: d, streams: &streamLimiter{}, started: time.Now(), secure: d.PublicURL != nil && d.PublicURL.Scheme == "https"}
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
	docs, err := docsite.Load()
	if err != nil {
		return nil, err
	}
	s := newServer(d)
	s.pages, s.assets, s.docs, s.authenticate = pages, assets, docs, s.identify
	guard := http.NewCrossOriginProtection()
	if d.PublicURL != nil {
		if err := guard.AddTrustedOrigin(d.PublicURL.String()); err != nil {
			return nil, fmt.Errorf("public url: %w", err)
		}
	}
	guard.SetDenyHandler(http.HandlerFunc(s.rejectCrossOrigin))
	return s.withHeaders(s.recoverPanics(cleanPath(guard.Handler(s.newMux(s.routes()))))), nil
}
