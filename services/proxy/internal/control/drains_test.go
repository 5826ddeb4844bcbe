package control

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// Decisions of the proxy obey the drains that the router sent last, also while it is away.
func TestLocalDecisionsObeyDrains(t *testing.T) {
	r := newCanaryRig()
	p, snapshot := compile(t, "sandbox-small")
	drained := &routerv1.DrainSnapshot{Drains: []*routerv1.Drain{{Model: "sandbox-small"}}}
	r.receive(&routerv1.WatchPolicyResponse{Snapshot: snapshot, Drains: drained})
	q := decide.Question{Kind: catalog.Chat, Model: "sandbox-small"}
	plan, err := r.Plan(t.Context(), p, q, nil)
	require.Equal(t, apperr.NoRouteAvailable, apperr.CodeOf(err))
	require.Empty(t, plan.Plan)

	r.receive(&routerv1.WatchPolicyResponse{}) // a heartbeat changes nothing
	r.up.Store(false)
	_, err = r.Plan(t.Context(), p, q, nil)
	require.Equal(t, apperr.NoRouteAvailable, apperr.CodeOf(err))

	r.receive(&routerv1.WatchPolicyResponse{Drains: &routerv1.DrainSnapshot{}})
	_, err = r.Plan(t.Context(), p, q, nil)
	require.NoError(t, err)
}
