package control

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rollout"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func compile(t *testing.T, model string) (*policy.Policy, *routerv1.PolicySnapshot) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte("version: 1\nmodels: {"+model+": {}}\nroutes: {auto: {select: [{target: "+model+"}]}}\n"), cat)
	require.NoError(t, err)
	return p, &routerv1.PolicySnapshot{Version: p.Version(), Compiled: p.Canonical()}
}

// canaryRig is a router client that receives messages without a connection.
type canaryRig struct {
	*Router
	prepared []string
	fault    error
}

func newCanaryRig() *canaryRig {
	r := &canaryRig{Router: NewRouter(nil, time.Second, slog.New(slog.DiscardHandler))}
	r.up.Store(true)
	return r
}

func (r *canaryRig) receive(m *routerv1.WatchPolicyResponse) {
	r.takeUpdate(m, func(stable, candidate *policy.Policy) error {
		if candidate == nil {
			r.prepared = append(r.prepared, "stable")
			return nil
		}
		r.prepared = append(r.prepared, "both")
		return r.fault
	})
}

// share returns how many of 1000 sessions the candidate serves.
func (r *canaryRig) share(candidate *policy.Policy) (n int) {
	for i := range 1000 {
		if r.Choose("acme", fmt.Sprint(i)).Policy.Version() == candidate.Version() {
			n++
		}
	}
	return n
}

func TestTheShareOfSessionsFollowsTheRollout(t *testing.T) {
	stable, first := compile(t, "sandbox-small")
	candidate, second := compile(t, "sandbox-large")
	r := newCanaryRig()
	require.Nil(t, r.Choose("acme", "s").Policy)
	open := func(share int32) *routerv1.RolloutSnapshot {
		return &routerv1.RolloutSnapshot{Id: "r1", Share: share, Candidate: second}
	}
	r.receive(&routerv1.WatchPolicyResponse{Snapshot: first, Rollout: &routerv1.RolloutSnapshot{}})
	require.Zero(t, r.share(candidate))
	require.Nil(t, r.Choose("acme", "s").Rollout)
	for _, share := range []int32{100, 1000, 5000} {
		r.receive(&routerv1.WatchPolicyResponse{Rollout: open(share)})
		r.receive(&routerv1.WatchPolicyResponse{}) // a heartbeat
		require.InDelta(t, float64(share)/10, r.share(candidate), 60)
		for i := range 50 {
			c := r.Choose("acme", fmt.Sprint(i))
			require.Equal(t, rollout.InShare("r1", share, "acme", fmt.Sprint(i)), c.Policy.Version() == candidate.Version())
			require.Equal(t, []any{"r1", stable.Version(), candidate.Version(), share}, []any{c.Rollout.ID, c.Rollout.Stable, c.Rollout.Candidate, c.Rollout.Share})
		}
	}
	require.Equal(t, stable.Version(), r.Policy().Version())
	r.receive(&routerv1.WatchPolicyResponse{Rollout: &routerv1.RolloutSnapshot{}})
	require.Zero(t, r.share(candidate), "rolled back")
	r.receive(&routerv1.WatchPolicyResponse{Rollout: open(5000)})
	r.receive(&routerv1.WatchPolicyResponse{Snapshot: second, Rollout: &routerv1.RolloutSnapshot{}})
	require.Equal(t, 1000, r.share(candidate), "completed")
	require.Nil(t, r.Choose("acme", "s").Rollout)
	require.Equal(t, []string{"stable", "both", "stable", "both", "stable"}, r.prepared)
}

func TestAProxyThatIsCutOffServesTheStablePolicy(t *testing.T) {
	_, first := compile(t, "sandbox-small")
	candidate, second := compile(t, "sandbox-large")
	r := newCanaryRig()
	r.receive(&routerv1.WatchPolicyResponse{Snapshot: first, Rollout: &routerv1.RolloutSnapshot{Id: "r1", Share: rollout.Whole, Candidate: second}})
	require.Equal(t, 1000, r.share(candidate))
	r.up.Store(false)
	require.Zero(t, r.share(candidate))
	require.Nil(t, r.Choose("acme", "s").Rollout)
}

func TestACandidateThatCannotBeUsedServesNothing(t *testing.T) {
	_, first := compile(t, "sandbox-small")
	candidate, second := compile(t, "sandbox-large")
	r := newCanaryRig()
	r.receive(&routerv1.WatchPolicyResponse{Snapshot: first, Rollout: &routerv1.RolloutSnapshot{Id: "r1", Share: rollout.Whole, Candidate: &routerv1.PolicySnapshot{Version: "later", Compiled: []byte(`{"schema":2}`)}}})
	require.Nil(t, r.Choose("acme", "s").Rollout)
	r.fault = errors.New("unknown provider")
	r.receive(&routerv1.WatchPolicyResponse{Rollout: &routerv1.RolloutSnapshot{Id: "r1", Share: rollout.Whole, Candidate: second}})
	require.Zero(t, r.share(candidate))
}

func TestADecisionIsServedWithItsOwnPolicy(t *testing.T) {
	stable, first := compile(t, "sandbox-small")
	candidate, second := compile(t, "sandbox-large")
	r := newCanaryRig()
	r.receive(&routerv1.WatchPolicyResponse{Snapshot: first, Rollout: &routerv1.RolloutSnapshot{Id: "r1", Share: 100, Candidate: second}})
	require.Equal(t, stable.Version(), r.policyNamed(stable.Version(), candidate).Version())
	require.Equal(t, candidate.Version(), r.policyNamed(candidate.Version(), stable).Version())
	require.Equal(t, candidate.Version(), r.policyNamed("another", candidate).Version())
}
