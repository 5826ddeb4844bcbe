package dashboard_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func someRollout() *routerv1.Rollout {
	at := timestamppb.New(noon)
	return &routerv1.Rollout{
		Id: "ro", Revision: 2, State: "running", StableVersion: "p0", CandidateVersion: "p1", Share: 1000, StartedAt: at, StepStartedAt: at, Author: "o@example.com",
		Guardrails: &routerv1.Guardrails{StepSeconds: 60, ErrorPoints: 20, LatencyPercent: 50, CostPercent: 50, QualityPoints: 30},
		Events:     []*routerv1.RolloutEvent{{Id: 7, Time: timestamppb.Now(), Action: "advance", Share: 1000}},
	}
}

func (p *policies) ListRollouts(context.Context, *routerv1.ListRolloutsRequest) (*routerv1.ListRolloutsResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &routerv1.ListRolloutsResponse{Rollouts: p.rollouts}, nil
}

func (p *policies) StartRollout(_ context.Context, r *routerv1.StartRolloutRequest) (*routerv1.StartRolloutResponse, error) {
	return &routerv1.StartRolloutResponse{Rollout: someRollout()}, p.hear(r)
}

func (p *policies) ChangeRollout(_ context.Context, r *routerv1.ChangeRolloutRequest) (*routerv1.ChangeRolloutResponse, error) {
	return &routerv1.ChangeRolloutResponse{Rollout: someRollout()}, p.hear(r)
}

func (w *walk) rollouts(operator *browser) {
	w.call(operator, "GET /rollouts", "", "", "")
	w.call(operator, "POST /rollouts", "", "", `{"document":"version: 1","note":"why","guardrails":{"step_seconds":60}}`)
	for _, action := range []string{"advance", "halt", "rollback"} {
		w.call(operator, "POST /rollouts/{id}/"+action, "ro", "", `{"revision":2,"reason":"why"}`)
	}
}

func TestRolloutCallsReachTheRouter(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	email := o.api("GET", "/session", "").json(t)["user"].(map[string]any)["email"].(string)
	a := o.api("POST", "/rollouts", `{"document":"d","expected_version":"e","note":"n","guardrails":{"error_points":5,"manual":true}}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	require.True(t, proto.Equal(&routerv1.StartRolloutRequest{
		Document: "d", ExpectedVersion: "e", Note: "n", Author: email, Guardrails: &routerv1.Guardrails{ErrorPoints: 5, Manual: true},
	}, h.policies.heard()), h.policies.heard())
	for path, action := range map[string]routerv1.RolloutAction{
		"advance": routerv1.RolloutAction_ROLLOUT_ACTION_ADVANCE, "halt": routerv1.RolloutAction_ROLLOUT_ACTION_HALT, "rollback": routerv1.RolloutAction_ROLLOUT_ACTION_ROLL_BACK,
	} {
		a := o.api("POST", "/rollouts/ro/"+path, `{"revision":2,"reason":"r"}`)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.True(t, proto.Equal(&routerv1.ChangeRolloutRequest{Id: "ro", Revision: 2, Action: action, Author: email, Reason: "r"}, h.policies.heard()))
	}
	o.api("POST", "/rollouts/ro/halt", `{"revision":-1}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

// The records of both versions become figures, and the controller rolls a failing candidate
// back by itself, with its reason.
func TestAFailingCandidateIsRolledBack(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	var all []*recordv1.RequestRecord
	for i := range 100 {
		all = append(all, newRecord("acc_1", i, func(r *recordv1.RequestRecord) {
			r.PolicyVersion, r.Outcome = "p0", recordv1.Outcome_OUTCOME_OK
			if i%5 == 0 {
				r.PolicyVersion, r.Outcome = "p1", recordv1.Outcome_OUTCOME_ERROR
			}
			r.Rollout = &recordv1.Rollout{Id: "ro", StableVersion: "p0", CandidateVersion: "p1", Share: 1000}
		}))
	}
	h.publish(all...)
	h.policies.mu.Lock()
	h.policies.rollouts = []*routerv1.Rollout{someRollout()}
	h.policies.mu.Unlock()
	item := o.api("GET", "/rollouts", "").json(t)["items"].([]any)[0].(map[string]any)
	require.EqualValues(t, 80, item["stable_requests"])
	require.EqualValues(t, 20, item["candidate_requests"])
	errors := item["checks"].([]any)[0].(map[string]any)
	require.Equal(t, "errors breached 1 0", fmt.Sprint(errors["name"], " ", errors["verdict"], " ", errors["candidate"], " ", errors["stable"]))
	require.Eventually(t, func() bool {
		heard, ok := h.policies.heard().(*routerv1.ChangeRolloutRequest)
		return ok && heard.GetAction() == routerv1.RolloutAction_ROLLOUT_ACTION_ROLL_BACK && heard.GetRevision() == 2 && heard.GetAuthor() == ""
	}, 20*time.Second, 50*time.Millisecond)
	require.Contains(t, h.policies.heard().(*routerv1.ChangeRolloutRequest).GetReason(), "Error rate 100 %")
	recorded := func() []*keyauthv1.RecordRolloutEventRequest {
		h.accounts.mu.Lock()
		defer h.accounts.mu.Unlock()
		return slices.Clone(h.accounts.rolloutEvents)
	}
	require.Eventually(t, func() bool { return len(recorded()) > 0 }, 20*time.Second, 50*time.Millisecond)
	require.EqualValues(t, 7, recorded()[0].GetEvent())
}
