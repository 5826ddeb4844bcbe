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

func (s *API) apiListModels(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	if _, err := httpapi.ParseParams(r); err != nil {
		return err
	}
	p, err := s.ActivePolicy(r.Context())
	if err != nil {
		return err
	}
	now := time.Now()
	items := make([]modelJSON, 0, len(p.Models))
	for i := range p.Models {
		items = append(items, s.toModelJSON(&p.Models[i], now))
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"policy_version": p.Version(), "catalog_version": p.Catalog, "items": items})
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
