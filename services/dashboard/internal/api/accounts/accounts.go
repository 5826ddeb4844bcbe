// Package accounts serves the part of the API that keyauth answers: the
// account, its users, invites, keys and limits, its webhook and the audit trail.
// API declares the routes and converts between JSON and keyauth's messages;
// keyauth checks the permissions. Usage comes from the ledger. The package
// stores nothing. web serves the routes.
package accounts

import (
	"context"
	"log/slog"
	"net/url"

	"github.com/signalbox/signalbox/pkg/policy"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
)

// PolicyReader returns the active policy.
type PolicyReader interface {
	ActivePolicy(ctx context.Context) (*policy.Policy, error)
}

// API holds the handlers and their dependencies. PublicURL may be nil; all other
// fields are required.
type API struct {
	Accounts keyauthv1.AccountServiceClient
	Policy   PolicyReader
	Ledger   readlimit.Pages
	Spend    SpendReader
	// PublicURL is the origin that browsers use.
	PublicURL *url.URL
	Log       *slog.Logger
}

// Routes returns the API calls for accounts.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/api/v1/account", s.apiGetAccount),
		access.SignedIn("PATCH", "/api/v1/account", s.apiUpdateAccount),
		access.SignedIn("POST", "/api/v1/account/webhook/secret", s.apiRotateWebhookSecret),
		access.SignedIn("POST", "/api/v1/account/webhook/test", s.apiTestWebhook),
		access.SignedIn("GET", "/api/v1/limits", s.apiGetLimits),
		access.SignedIn("GET", "/api/v1/budgets", s.apiListBudgets),
		access.SignedIn("POST", "/api/v1/budgets", s.apiSetBudget),
		access.SignedIn("DELETE", "/api/v1/budgets/{id}", s.apiRemoveBudget),
		access.SignedIn("GET", "/api/v1/spend/forecast", s.apiForecastSpend),
		access.SignedIn("GET", "/api/v1/users", s.apiListUsers),
		access.SignedIn("PATCH", "/api/v1/users/{id}", s.apiUpdateUser).PersonOnly(),
		access.SignedIn("DELETE", "/api/v1/users/{id}", s.apiRemoveUser).PersonOnly(),
		access.SignedIn("GET", "/api/v1/invites", s.apiListInvites),
		access.SignedIn("POST", "/api/v1/invites", s.apiCreateInvite).PersonOnly(),
		access.SignedIn("DELETE", "/api/v1/invites/{id}", s.apiRevokeInvite).PersonOnly(),
		access.SignedIn("GET", "/api/v1/audit", s.apiListAudit),
		access.SignedIn("GET", "/api/v1/audit/export", s.apiExportAudit),
		access.SignedIn("GET", "/api/v1/keys", s.apiListKeys),
		access.SignedIn("POST", "/api/v1/keys", s.apiCreateKey).WithScope(access.ScopeKeys),
		access.SignedIn("PATCH", "/api/v1/keys/{id}", s.apiUpdateKey).WithScope(access.ScopeKeys),
		access.SignedIn("DELETE", "/api/v1/keys/{id}", s.apiRevokeKey).WithScope(access.ScopeKeys),
		access.SignedIn("POST", "/api/v1/keys/{id}/rotate", s.apiRotateKey).WithScope(access.ScopeKeys),
		access.SignedIn("GET", "/api/v1/tokens", s.apiListTokens),
		access.SignedIn("POST", "/api/v1/tokens", s.apiCreateToken).PersonOnly(),
		access.SignedIn("DELETE", "/api/v1/tokens/{id}", s.apiRevokeToken).PersonOnly(),
		access.OperatorOwner("GET", "/api/v1/accounts", s.apiListAccounts),
	}
}

// OperatorRoutes returns the calls that only the operator socket serves.
func (s *API) OperatorRoutes() []access.Route {
	return []access.Route{access.SignedIn("GET", "/api/v1/spent", s.apiGetSpend)}
}
