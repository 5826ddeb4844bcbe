// Package policies serves the part of the API that the router answers: policy
// versions with their validation, comparison and publication, the rules of a
// document, its experiments, the models of the active policy, and the replay of recorded requests against a policy. API
// declares the routes, and ActivePolicy returns the policy in force. web serves
// the routes.
package policies

import (
	"log/slog"

	"github.com/signalbox/signalbox/pkg/catalog"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
)

// API holds the handlers and their dependencies.
type API struct {
	Router   routerv1.RouterServiceClient
	Policies routerv1.PolicyServiceClient
	// Accounts has the audit log.
	Accounts keyauthv1.AccountServiceClient
	Log      *slog.Logger
	Catalog  *catalog.Catalog
	Ledger   Ledger
}

// Routes returns the API calls for policies and models.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/api/v1/models", s.apiListModels),
		access.Operator("GET", "/api/v1/providers/supported", s.apiListSupportedProviders),
		access.Operator("GET", "/api/v1/policy", s.apiGetPolicy),
		access.Operator("GET", "/api/v1/policy/versions", s.apiListPolicyVersions),
		access.Operator("GET", "/api/v1/policy/rules", s.apiListRules),
		access.Operator("POST", "/api/v1/policy/rules/move", s.apiMoveRule).WithScope(access.ScopeRead),
		access.Operator("POST", "/api/v1/policy/rules/add", s.apiAddRule).WithScope(access.ScopeRead),
		access.Operator("GET", "/api/v1/policy/words", s.apiGetWords),
		access.Operator("POST", "/api/v1/policy/validate", s.apiValidatePolicy).WithScope(access.ScopeRead),
		access.Operator("POST", "/api/v1/policy/diff", s.apiDiffPolicies).WithScope(access.ScopeRead),
		access.Operator("POST", "/api/v1/policy/explain", s.apiExplainPolicy).WithScope(access.ScopeRead),
		access.Operator("POST", "/api/v1/policy/replay", s.apiReplayPolicy).WithScope(access.ScopeRead),
		access.Operator("GET", "/api/v1/policy/frontier", s.apiGetFrontier),
		access.Operator("GET", "/api/v1/policy/experiments", s.apiListPolicyExperiments),
		access.OperatorOwner("POST", "/api/v1/policy/experiments", s.apiChangeExperiment).WithScope(access.ScopePolicy),
		access.OperatorOwner("POST", "/api/v1/policy/publish", s.apiPublishPolicy).WithScope(access.ScopePolicy),
		access.OperatorOwner("POST", "/api/v1/policy/rollback", s.apiRollbackPolicy).WithScope(access.ScopePolicy),
	}
}
