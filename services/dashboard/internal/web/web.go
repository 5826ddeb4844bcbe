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

// Deps is what the handler works with. All but the last two are needed.
type Deps struct {
	Accounts     keyauthv1.AccountServiceClient
	Router       routerv1.RouterServiceClient
	Ledger       Ledger
	Completeness Completeness
	Log          *slog.Logger
	// PublicURL is the origin that browsers see; nil means the address itself.
	PublicURL *url.URL
	// Balanced is whether balancers in front are known, whose word on a
	// client's address is in the request already.
	Balanced bool
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
