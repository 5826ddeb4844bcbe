package rollouts

import (
	"context"
	"fmt"
	"time"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// noticedFor is how long the overview shows that the guardrails ended a rollout.
const noticedFor = 7 * 24 * time.Hour

// Notice returns what users of the operator's account should know about the latest rollout, or
// "": that it runs, or that the guardrails have halted it or rolled it back.
func (s *API) Notice(ctx context.Context, v *access.Viewer) (string, error) {
	if !v.Account.GetOperator() {
		return "", nil
	}
	found, err := s.Policies.ListRollouts(ctx, &routerv1.ListRolloutsRequest{Limit: 1})
	if err != nil || len(found.GetRollouts()) == 0 {
		return "", httpapi.ToRouterError(err)
	}
	return describe(found.GetRollouts()[0], time.Now()), nil
}

func describe(r *routerv1.Rollout, now time.Time) string {
	version := r.GetCandidateVersion()
	version = version[:min(12, len(version))]
	events := r.GetEvents()
	automatic := len(events) > 0 && events[0].GetAuthor() == "" && now.Sub(events[0].GetTime().AsTime()) < noticedFor
	switch {
	case r.GetState() == "halted":
		return fmt.Sprintf("The rollout of policy version %s is halted at %g %%. %s", version, float64(r.GetShare())/100, r.GetReason())
	case r.GetState() == "running":
		return fmt.Sprintf("Policy version %s is being rolled out to %g %% of the sessions.", version, float64(r.GetShare())/100)
	case r.GetState() == "rolled_back" && automatic:
		return fmt.Sprintf("The guardrails rolled policy version %s back. %s", version, r.GetReason())
	}
	return ""
}
