package dashboard

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/rollout"
)

// maxWatchedRollouts is how many of the latest rollouts are read at each check.
const maxWatchedRollouts = 5

func (s *Service) newRolloutController() *rollout.Controller {
	return &rollout.Controller{
		Router: rolloutRouter{s.deps.Policies}, Ledger: s.store, Audit: rolloutAudit{s.deps.Accounts}, Log: s.deps.Log, Now: time.Now,
	}
}

// rolloutRouter is the router as a rollout.Router.
type rolloutRouter struct{ policies routerv1.PolicyServiceClient }

// Rollouts returns the latest rollouts and the open one.
func (r rolloutRouter) Rollouts(ctx context.Context) (all []rollout.State, open *rollout.State, err error) {
	found, err := r.policies.ListRollouts(ctx, &routerv1.ListRolloutsRequest{Limit: maxWatchedRollouts})
	if err != nil {
		return nil, nil, err
	}
	for _, one := range found.GetRollouts() {
		state := toRolloutState(one)
		if all = append(all, state); one.GetEndedAt() == nil {
			open = &state
		}
	}
	return all, open, nil
}

func toRolloutState(r *routerv1.Rollout) rollout.State {
	g := r.GetGuardrails()
	out := rollout.State{
		ID: r.GetId(), Revision: r.GetRevision(), Stable: r.GetStableVersion(), Candidate: r.GetCandidateVersion(), Share: r.GetShare(),
		StepStarted: r.GetStepStartedAt().AsTime(), Halted: r.GetState() == "halted", Manual: g.GetManual(),
		MinStep: time.Duration(g.GetStepSeconds()) * time.Second, MaxStep: time.Duration(g.GetMaxStepSeconds()) * time.Second,
		MinRequests: g.GetMinRequests(), Limits: rollout.LimitsOf(g),
	}
	for _, e := range r.GetEvents() {
		out.Events = append(out.Events, rollout.Event{
			Number: e.GetId(), At: e.GetTime().AsTime(), Action: e.GetAction(), Share: e.GetShare(), Author: e.GetAuthor(), Reason: e.GetReason(),
		})
	}
	return out
}

var rolloutActions = map[rollout.Action]routerv1.RolloutAction{
	rollout.Advance:  routerv1.RolloutAction_ROLLOUT_ACTION_ADVANCE,
	rollout.Halt:     routerv1.RolloutAction_ROLLOUT_ACTION_HALT,
	rollout.RollBack: routerv1.RolloutAction_ROLLOUT_ACTION_ROLL_BACK,
}

// Change changes a rollout. It returns false if the rollout has changed meanwhile.
func (r rolloutRouter) Change(ctx context.Context, id string, revision int64, a rollout.Action, reason string) (bool, error) {
	_, err := r.policies.ChangeRollout(ctx, &routerv1.ChangeRolloutRequest{Id: id, Revision: revision, Action: rolloutActions[a], Reason: reason})
	if apperr.Is(err, apperr.PolicyConflict) || apperr.Is(err, apperr.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// rolloutAudit is keyauth as a rollout.AuditLog.
type rolloutAudit struct {
	accounts keyauthv1.AccountServiceClient
}

// RecordRolloutEvent adds an event to the audit log. An installation whose operator's account
// does not exist yet has no audit log.
func (a rolloutAudit) RecordRolloutEvent(ctx context.Context, r rollout.State, e rollout.Event) error {
	_, err := a.accounts.RecordRolloutEvent(ctx, &keyauthv1.RecordRolloutEventRequest{
		Rollout: r.ID, Event: e.Number, Action: e.Action, Version: r.Candidate, Share: e.Share, Author: e.Author, Reason: e.Reason,
	})
	if apperr.Is(err, apperr.NotFound) {
		return nil
	}
	return err
}
