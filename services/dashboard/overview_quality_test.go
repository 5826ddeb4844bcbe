package dashboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func TestTheOverviewHasQualityAndNotices(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	account := o.api("GET", "/account", "").json(t)["id"].(string)
	got := o.api("GET", "/overview?from=2026-11-14&to=2026-11-15", "").json(t)
	require.Nil(t, got["quality"])
	require.Empty(t, got["notices"])
	var all []*recordv1.RequestRecord
	for i := range 20 {
		all = append(all, newRecord(account, i, func(r *recordv1.RequestRecord) { r.Outcome = recordv1.Outcome_OUTCOME_OK }))
	}
	h.publish(all...)
	back := someRollout()
	back.State, back.Reason, back.EndedAt = "rolled_back", "Error rate 100 %.", timestamppb.Now()
	back.Events = []*routerv1.RolloutEvent{{Id: 9, Time: timestamppb.Now(), Action: "roll_back"}}
	h.policies.mu.Lock()
	h.policies.rollouts = []*routerv1.Rollout{back}
	h.policies.mu.Unlock()
	got = o.api("GET", "/overview?from=2026-11-14&to=2026-11-15", "").json(t)
	require.Contains(t, got["quality"], "Quality: not enough data yet")
	notice := got["notices"].([]any)[0].(map[string]any)
	require.Equal(t, "The guardrails rolled policy version p1 back. Error rate 100 %.", notice["text"])
	require.Equal(t, "/policy", notice["link"])
	filtered := o.api("GET", "/overview?from=2026-11-14&to=2026-11-15&filter=route:fallback", "").json(t)
	require.Nil(t, filtered["quality"])

	other, _ := h.registerUser("x@example.com")
	require.Empty(t, other.api("GET", "/overview?from=2026-11-14&to=2026-11-15", "").json(t)["notices"], "a policy is the operator's business")
}
