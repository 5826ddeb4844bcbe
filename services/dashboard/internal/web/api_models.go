package web

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func (s *server) apiListModels(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	if _, err := parseParams(r); err != nil {
		return err
	}
	p, err := s.readActivePolicy(r.Context())
	if err != nil {
		return err
	}
	now := time.Now()
	items := make([]modelJSON, 0, len(p.Models))
	for i := range p.Models {
		items = append(items, s.toModelJSON(&p.Models[i], now))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"policy_version": p.Version(), "catalog_version": p.Catalog, "items": items})
}

// readActivePolicy returns the active policy. The router sends it as the first
// snapshot of a watch.
func (s *server) readActivePolicy(ctx context.Context) (*policy.Policy, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	unavailable := apperr.New(apperr.RoutingUnavailable, routerUnreachable)
	stream, err := s.Router.WatchPolicy(ctx, &routerv1.WatchPolicyRequest{})
	if err != nil {
		return nil, orUnavailable(err, unavailable)
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return nil, orUnavailable(err, unavailable)
		}
		if snapshot := m.GetSnapshot(); snapshot != nil {
			return policy.Decode(snapshot.GetCompiled())
		}
	}
}
