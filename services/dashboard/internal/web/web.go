// Package web is what people and programs see of the dashboard: the JSON API
// under /api/v1, the app that is built on it, and forms to sign in that work
// without a script. All are thin faces of the same calls: the account service
// for who somebody is and what keys there are, the ledger for what happened.
// It stores nothing itself.
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
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Ledger is where records are read.
type Ledger interface {
	Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error)
	Get(ctx context.Context, account string, id uuid.UUID) (*record.Record, error)
	Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
	Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error)
	Figures(ctx context.Context, q record.Query) (record.Figures, error)
}

// Completeness is who can tell what was stored of what was sent.
type Completeness interface {
	Completeness(ctx context.Context) ([]record.Producer, error)
	Gaps(ctx context.Context, producer string, last int64, most int) ([]records.Range, error)
}

// Deps is what the handler works with. All but the last two are needed.
type Deps struct {
	Accounts     keyauthv1.AccountServiceClient
	Router       routerv1.RouterServiceClient
	Policies     routerv1.PolicyServiceClient
	Catalog      *catalog.Catalog
	Ledger       Ledger
	Spendings    Spendings
	Feed         Feed
	Completeness Completeness
	Letters      Letters
	Volume       Volume
	Log          *slog.Logger
	// PublicURL is the origin that browsers see; nil means the address itself.
	PublicURL *url.URL
	// EdgeURL is the origin that programs send their requests to; nil means the
	// one that browsers see.
	EdgeURL *url.URL
	// Balanced is whether balancers in front are known, whose word on a
	// client's address is in the request already.
	Balanced bool
	// Version is told to people.
	Version   string
	Retention Retention
	// Carrier is nil where the records come from this very process.
	Carrier Carrier
}

// readTimeout bounds what a request asks of the ledger.
const readTimeout = 10 * time.Second

type server struct {
	Deps
	secure bool // browsers come by TLS
	pages  pages
	assets assets
	// started is when the handler was made.
	started time.Time
	// streams is shared by all who follow.
	streams *streams
	// who tells in whose name a request is made.
	who func(*http.Request) (*viewer, error)
}

func newServer(d Deps) *server {
	d.Ledger = inTurns(d.Ledger)
	return &server{Deps: d, streams: &streams{}, started: time.Now(), secure: d.PublicURL != nil && d.PublicURL.Scheme == "https"}
}

// New makes the handler of everything below /. It is safe for concurrent use.
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
	s.pages, s.assets, s.who = pages, assets, s.identify
	guard := http.NewCrossOriginProtection()
	if d.PublicURL != nil {
		if err := guard.AddTrustedOrigin(d.PublicURL.String()); err != nil {
			return nil, fmt.Errorf("public url: %w", err)
		}
	}
	guard.SetDenyHandler(http.HandlerFunc(s.crossOrigin))
	return s.identified(s.guarded(clean(guard.Handler(s.serve(s.routes()))))), nil
}
