package account

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// RolloutEvent is what happened in the rollout of a policy version.
type RolloutEvent struct {
	Rollout string
	// Number identifies the event among those of all rollouts.
	Number int64
	Action string
	// Version is the candidate version. Share is the share of the sessions that it serves
	// after the event, in hundredths of a percent.
	Version string
	Share   int32
	// Author is empty if the guardrails caused the event.
	Author, Reason string
}

// rolloutActions are the actions of a rollout.
var rolloutActions = []string{"start", "advance", "halt", "roll_back", "complete", "supersede"}

// RecordRolloutEvent adds an event to the audit log of the operator's account. If the log
// already contains the event, it does nothing. Errors: INVALID_REQUEST, and NOT_FOUND if the
// installation has no operator's account yet.
func (s *Service) RecordRolloutEvent(ctx context.Context, r RolloutEvent) error {
	switch {
	case !setting.IsText(r.Rollout, 1, maxVersionLength):
		return setting.InvalidParam("rollout", "the id of a rollout must have 1 to 64 printable characters")
	case !slices.Contains(rolloutActions, r.Action):
		return setting.InvalidParam("action", "the action of a rollout must be one of "+strings.Join(rolloutActions, ", "))
	case !setting.IsText(r.Version, 1, maxVersionLength):
		return setting.InvalidParam("version", "a policy version must have 1 to 64 printable characters")
	case len(r.Reason) > maxNoteLength:
		return setting.InvalidParam("reason", "the reason must have at most 1000 bytes")
	}
	return s.write(ctx, func(tx Tx) error {
		operator, err := tx.Operator(ctx)
		if errors.Is(err, ErrNoRow) {
			return apperr.New(apperr.NotFound, "the installation has no operator's account yet").WithCause(err)
		}
		if err != nil {
			return err
		}
		e := audit.Event{AccountID: operator.ID, At: now(), Action: "rollout." + r.Action, Subject: fmt.Sprintf("%s/%d", r.Rollout, r.Number)}
		known, err := tx.Events(ctx, operator.ID, audit.Filter{Action: e.Action, Subject: e.Subject}, math.MaxInt64, 1)
		if err != nil || len(known) > 0 {
			return err
		}
		if strings.Contains(r.Author, "@") {
			e.Email = r.Author
		}
		err = e.SetFields(nil, audit.Fields{
			"version": r.Version, "share_percent": float64(r.Share) / 100, "reason": r.Reason, "automatic": r.Author == "",
		})
		if err != nil {
			return err
		}
		return tx.SaveEvent(ctx, e)
	})
}
