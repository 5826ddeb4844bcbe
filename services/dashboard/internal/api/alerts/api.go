// Package alerts serves the API of the page Alerts: the rules and channels of an account, what
// fires, and what happened. Owners change them; everyone in the account reads them. Addresses
// are masked, and signing secrets are shown once. web serves the routes.
package alerts

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// Store keeps rules, channels and events. Errors: NOT_FOUND, and INVALID_REQUEST if an account
// has too many.
type Store interface {
	AlertRules(ctx context.Context, account string) ([]alert.Rule, error)
	CreateAlertRule(ctx context.Context, r alert.Rule) error
	UpdateAlertRule(ctx context.Context, r alert.Rule) error
	DeleteAlertRule(ctx context.Context, account, id string) error
	AlertChannels(ctx context.Context, account string) ([]alert.Channel, error)
	AlertChannel(ctx context.Context, account, id string) (c alert.Channel, ok bool, err error)
	CreateAlertChannel(ctx context.Context, c alert.Channel) error
	UpdateAlertChannel(ctx context.Context, c alert.Channel) error
	DeleteAlertChannel(ctx context.Context, account, id string) error
	NoteAlertResult(ctx context.Context, account, channel, failure string, at time.Time) error
	FiringAlerts(ctx context.Context, account string) ([]alert.State, error)
	AlertEvents(ctx context.Context, account string, limit int) ([]alert.Event, error)
}

// Sender sends test messages.
type Sender interface {
	alert.Sender
	CheckURL(address string) error
	SendsMail() bool
}

// Accounts lists the users of an account and writes its audit log.
type Accounts interface {
	ListUsers(ctx context.Context, in *keyauthv1.ListUsersRequest, opts ...grpc.CallOption) (*keyauthv1.ListUsersResponse, error)
	RecordAlertChange(ctx context.Context, in *keyauthv1.RecordAlertChangeRequest, opts ...grpc.CallOption) (*keyauthv1.RecordAlertChangeResponse, error)
}

// API holds the handlers and their dependencies. Store is nil if this process cannot read the
// channels. PublicURL may be nil.
type API struct {
	Store     Store
	Sender    Sender
	Source    alert.Source
	Accounts  Accounts
	PublicURL *url.URL
	Log       *slog.Logger

	mu    sync.Mutex
	tests map[string]*testBudget // by account
}

// Routes returns the API calls for alerts.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/api/v1/alerts", s.whenOn(s.apiGetAlerts)),
		access.SignedIn("GET", "/api/v1/alerts/values", s.whenOn(s.apiGetValues)),
		access.Owner("POST", "/api/v1/alerts/rules", s.whenOn(s.apiCreateRule)),
		access.Owner("PUT", "/api/v1/alerts/rules/{id}", s.whenOn(s.apiUpdateRule)),
		access.Owner("DELETE", "/api/v1/alerts/rules/{id}", s.whenOn(s.apiDeleteRule)),
		access.Owner("POST", "/api/v1/alerts/channels", s.whenOn(s.apiCreateChannel)),
		access.Owner("PUT", "/api/v1/alerts/channels/{id}", s.whenOn(s.apiUpdateChannel)),
		access.Owner("DELETE", "/api/v1/alerts/channels/{id}", s.whenOn(s.apiDeleteChannel)),
		access.Owner("POST", "/api/v1/alerts/channels/{id}/test", s.whenOn(s.apiTestChannel)),
	}
}

// whenOn returns an error instead of calling h if this process cannot read the channels.
func (s *API) whenOn(h access.Handler) access.Handler {
	return func(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
		if s.Store == nil {
			return apperr.New(apperr.StoreUnavailable, "alerts are off, because this dashboard does not have the alert key; the operator must set --alert-key-file to the same file for all dashboards")
		}
		return h(w, r, v)
	}
}

// shownEvents is how many events the page lists.
const shownEvents = 50

func (s *API) apiGetAlerts(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	if _, err := httpapi.ParseParams(r); err != nil {
		return err
	}
	account := v.Account.GetId()
	rules, err := s.Store.AlertRules(r.Context(), account)
	if err != nil {
		return err
	}
	channels, err := s.Store.AlertChannels(r.Context(), account)
	if err != nil {
		return err
	}
	firing, err := s.Store.FiringAlerts(r.Context(), account)
	if err != nil {
		return err
	}
	events, err := s.Store.AlertEvents(r.Context(), account, shownEvents)
	return httpapi.WriteResult(w, http.StatusOK, toAlertsJSON(rules, channels, firing, events, v.Account.GetOperator(), s.Sender.SendsMail()), err)
}

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
