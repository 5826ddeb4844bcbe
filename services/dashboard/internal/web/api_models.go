package web

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// apiModels lists what the policy in force serves, at what price.
func (s *server) apiModels(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	if _, err := params(r); err != nil {
		return err
	}
	p, err := s.activePolicy(r.Context())
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

// activePolicy takes the first snapshot that the router sends to all who watch.
func (s *server) activePolicy(ctx context.Context) (*policy.Policy, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	away := apperr.New(apperr.RoutingUnavailable, "the router cannot be reached")
	stream, err := s.Router.WatchPolicy(ctx, &routerv1.WatchPolicyRequest{})
	if err != nil {
		return nil, reached(err, away)
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return nil, reached(err, away)
		}
		if snapshot := m.GetSnapshot(); snapshot != nil {
			return policy.Decode(snapshot.GetCompiled())
		}
	}
}
