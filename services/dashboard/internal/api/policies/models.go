package policies

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
)

// apiListModels lists the models of the active policy. With catalog=true it adds the
// models of the catalog that no configured provider serves.
func (s *API) apiListModels(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	params, err := httpapi.ParseParams(r, "catalog")
	if err != nil {
		return err
	}
	whole := params.Get("catalog")
	if whole != "" && whole != "true" {
		return httpapi.InvalidParam("catalog", "catalog must be true").With("allowed", []string{"true"})
	}
	p, err := s.ActivePolicy(r.Context())
	if err != nil {
		return err
	}
	now := time.Now()
	items := make([]modelJSON, 0, len(p.Models))
	for i := range p.Models {
		items = append(items, s.toModelJSON(&p.Models[i], now))
		items[i].Served = true
	}
	if whole != "" {
		items = append(items, s.unservedModels(p, now)...)
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"policy_version": p.Version(), "catalog_version": p.Catalog, "items": items})
}

// unservedModels returns the models of the catalog that the policy cannot serve.
func (s *API) unservedModels(p *policy.Policy, now time.Time) (items []modelJSON) {
	served := map[string]bool{}
	for i := range p.Models {
		served[p.Models[i].ID] = true
	}
	for _, known := range s.Catalog.Models() {
		if served[known.ID] || len(known.Endpoints) == 0 {
			continue
		}
		m := policy.Model{Model: known.Model, Unlisted: true}
		for _, e := range known.Endpoints {
			m.Endpoints = append(m.Endpoints, policy.Endpoint{
				Provider: e.Provider, UpstreamModel: e.Model, Prices: e.Prices, Context: e.Context, MaxOutput: e.MaxOutput, Lacks: e.Lacks,
			})
		}
		items = append(items, s.toModelJSON(&m, now))
	}
	return items
}

// ActivePolicy returns the active policy. The router sends it as the first
// snapshot of a watch.
func (s *API) ActivePolicy(ctx context.Context) (*policy.Policy, error) {
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	stream, err := s.Router.WatchPolicy(ctx, &routerv1.WatchPolicyRequest{})
	if err != nil {
		return nil, httpapi.ToRouterError(err)
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return nil, httpapi.ToRouterError(err)
		}
		if snapshot := m.GetSnapshot(); snapshot != nil {
			return policy.Decode(snapshot.GetCompiled())
		}
	}
}

// BaselineOf returns the default model of a user's account: its own, or that of the active
// policy.
func (s *API) BaselineOf(ctx context.Context, v *access.Viewer) (string, error) {
	if own := v.Account.GetBaselineModel(); own != "" {
		return own, nil
	}
	p, err := s.ActivePolicy(ctx)
	if err != nil {
		return "", err
	}
	return p.Defaults.Baseline, nil
}
