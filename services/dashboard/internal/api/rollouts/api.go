// Package rollouts serves the part of the API about rollouts of a policy version: their state
// and the figures of their guardrails, and what persons do with them by hand. The router keeps
// the rollouts. Only users of the operator's account see them, because a policy applies to all
// accounts. web serves the routes.
package rollouts

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/rollout"
)

const (
	// timeout limits a call of the router. Checking a large document and running its tests
	// can take seconds.
	timeout = 30 * time.Second
	// maxBody fits a document of the maximum size, encoded as JSON.
	maxBody = 1 << 20
	// maxListed is how many rollouts are listed.
	maxListed = 10
)

// API holds the handlers and their dependencies.
type API struct {
	Policies routerv1.PolicyServiceClient
	Ledger   rollout.Ledger
}

// Routes returns the API calls about rollouts.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.Operator("GET", "/api/v1/rollouts", s.apiListRollouts),
		access.OperatorOwner("POST", "/api/v1/rollouts", s.apiStartRollout).WithScope(access.ScopePolicy),
		access.OperatorOwner("POST", "/api/v1/rollouts/{id}/advance", s.change(routerv1.RolloutAction_ROLLOUT_ACTION_ADVANCE)).WithScope(access.ScopePolicy),
		access.OperatorOwner("POST", "/api/v1/rollouts/{id}/halt", s.change(routerv1.RolloutAction_ROLLOUT_ACTION_HALT)).WithScope(access.ScopePolicy),
		access.OperatorOwner("POST", "/api/v1/rollouts/{id}/rollback", s.change(routerv1.RolloutAction_ROLLOUT_ACTION_ROLL_BACK)).WithScope(access.ScopePolicy),
	}
}

func (s *API) apiListRollouts(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	if _, err := httpapi.ParseParams(r); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	found, err := s.Policies.ListRollouts(ctx, &routerv1.ListRolloutsRequest{Limit: maxListed})
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	items := []map[string]any{}
	for _, one := range found.GetRollouts() {
		item, err := s.encode(ctx, one)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"items": items})
}

func (s *API) apiStartRollout(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var body struct {
		Document        string         `json:"document"`
		Version         string         `json:"version"`
		ExpectedVersion string         `json:"expected_version"`
		Note            string         `json:"note"`
		Guardrails      guardrailsJSON `json:"guardrails"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxBody); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	started, err := s.Policies.StartRollout(ctx, &routerv1.StartRolloutRequest{
		Document: body.Document, Version: body.Version, ExpectedVersion: body.ExpectedVersion, Note: body.Note, Author: authorName(v),
		Guardrails: body.Guardrails.toProto(),
	})
	return s.write(ctx, w, http.StatusCreated, started.GetRollout(), err)
}

// change returns the handler of one action.
func (s *API) change(a routerv1.RolloutAction) func(http.ResponseWriter, *http.Request, *access.Viewer) error {
	return func(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
		var body struct {
			Revision int64  `json:"revision"`
			Reason   string `json:"reason"`
		}
		if err := httpapi.ReadJSON(w, r, &body); err != nil {
			return err
		}
		if body.Revision < 0 {
			return apperr.New(apperr.InvalidRequest, "the revision must not be negative").With("param", "revision")
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		changed, err := s.Policies.ChangeRollout(ctx, &routerv1.ChangeRolloutRequest{
			Id: r.PathValue("id"), Revision: body.Revision, Action: a, Author: authorName(v), Reason: body.Reason,
		})
		return s.write(ctx, w, http.StatusOK, changed.GetRollout(), err)
	}
}

func (s *API) write(ctx context.Context, w http.ResponseWriter, status int, r *routerv1.Rollout, err error) error {
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	item, err := s.encode(ctx, r)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, status, item)
}

func authorName(v *access.Viewer) string { return cmp.Or(v.User.GetEmail(), "operator") }
