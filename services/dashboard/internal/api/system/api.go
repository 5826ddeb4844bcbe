// Package system serves the part of the API that describes the installation: the
// state of its services and stores, the health of providers, whether all
// records were stored, and the dead letters. API declares the routes. Errors name
// no internal addresses. web serves the routes.
package system

import (
	"context"
	"log/slog"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Completeness returns how many records each producer (a proxy's spool) sent, and
// how many of them are stored.
type Completeness interface {
	Completeness(ctx context.Context) ([]record.Producer, error)
	FindGaps(ctx context.Context, producer string, last int64, limit int) ([]records.Range, error)
}

// API holds the handlers and their dependencies. Carrier may be nil; all other
// fields are required.
type API struct {
	Accounts     keyauthv1.AccountServiceClient
	Router       routerv1.RouterServiceClient
	Completeness Completeness
	DeadLetters  DeadLetters
	Storage      StorageReader
	// Carrier is nil if the records come from the same process.
	Carrier   Carrier
	Retention Retention
	// Warnings returns warnings about the installation; nil for none.
	Warnings func() []string
	// LocalServers looks for model servers on the machine of the proxy; nil if the proxy
	// runs elsewhere.
	LocalServers func(ctx context.Context) []LocalServer
	// Version is shown to users.
	Version string
	Log     *slog.Logger
	// Started is when the process started.
	Started time.Time
	// PartTimeout limits the checks of all parts together; zero means defaultPartTimeout.
	PartTimeout time.Duration
}

// Routes returns the API calls for the operator.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.Operator("GET", "/api/v1/completeness", s.apiGetCompleteness),
		access.Operator("GET", "/api/v1/dead-letters", s.apiListDeadLetters),
		access.OperatorOwner("POST", "/api/v1/dead-letters/replay", s.apiReplayDeadLetters),
		access.Operator("GET", "/api/v1/providers", s.apiListProviders),
		access.Operator("POST", "/api/v1/providers/local", s.apiFindLocalServers).WithScope(access.ScopeRead),
		access.OperatorOwner("POST", "/api/v1/providers/drain", s.apiDrain).WithScope(access.ScopePolicy),
		access.OperatorOwner("POST", "/api/v1/providers/resume", s.apiResume).WithScope(access.ScopePolicy),
		access.Operator("GET", "/api/v1/system", s.apiGetSystem),
	}
}
