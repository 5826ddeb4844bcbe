package account

import (
	"context"
	"errors"
	"math"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
)

// RecordPolicyChange adds a policy change to the audit log of the operator's account. The
// router stores the policy, so the event is not in the transaction of the change. Errors:
// AUTH_FORBIDDEN if the account is not the operator's, INVALID_REQUEST.
func (s *Service) RecordPolicyChange(ctx context.Context, actor access.Actor, c report.PolicyChange) error {
	e, err := c.Entry()
	if err != nil {
		return err
	}
	return s.recordOperatorEvent(ctx, actor, e, "only the operator's account can change the policy")
}

// RecordDrain adds a drain or a resumption to the audit log of the operator's account. The
// router stores the drain, so the event is not in the transaction of the change. Errors:
// AUTH_FORBIDDEN if the account is not the operator's, INVALID_REQUEST.
func (s *Service) RecordDrain(ctx context.Context, actor access.Actor, c report.DrainChange) error {
	e, err := c.Entry()
	if err != nil {
		return err
	}
	return s.recordOperatorEvent(ctx, actor, e, "only the operator's account can drain providers")
}

// recordOperatorEvent requires an owner of the operator's account. Owners of other accounts get
// the message of denied.
func (s *Service) recordOperatorEvent(ctx context.Context, actor access.Actor, e report.Entry, denied string) error {
	return s.write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Owner)
		if err != nil {
			return err
		}
		if !a.Operator {
			return apperr.New(apperr.AuthForbidden, denied)
		}
		return access.RecordEvent(ctx, tx, actor, e.Action, e.Subject, nil, e.Fields)
	})
}

// RecordAlertChange adds a change of an alert or a channel to the audit log of the actor's
// account. The dashboard stores alerts, so the event is not in the transaction of the change.
// Errors: AUTH_FORBIDDEN if the actor is not an owner, INVALID_REQUEST.
func (s *Service) RecordAlertChange(ctx context.Context, actor access.Actor, c report.AlertChange) error {
	e, err := c.Entry()
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx Tx) error {
		if _, err := access.Authorize(ctx, tx, actor, access.Owner); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, actor, e.Action, e.Subject, e.Before, e.Fields)
	})
}

// RecordRolloutEvent adds an event to the audit log of the operator's account. If the log
// already contains the event, it does nothing. Errors: INVALID_REQUEST, and NOT_FOUND if the
// installation has no operator's account yet.
func (s *Service) RecordRolloutEvent(ctx context.Context, r report.RolloutEvent) error {
	entry, err := r.Entry()
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx Tx) error {
		operator, err := tx.Operator(ctx)
		if errors.Is(err, access.ErrNoRow) {
			return apperr.New(apperr.NotFound, "the installation has no operator's account yet").WithCause(err)
		}
		if err != nil {
			return err
		}
		known, err := tx.Events(ctx, operator.ID, audit.Filter{Action: entry.Action, Subject: entry.Subject}, math.MaxInt64, 1)
		if err != nil || len(known) > 0 {
			return err
		}
		e := audit.Event{AccountID: operator.ID, At: access.Now(), Email: r.Email(), Action: entry.Action, Subject: entry.Subject}
		if err := e.SetFields(nil, entry.Fields); err != nil {
			return err
		}
		return tx.SaveEvent(ctx, e)
	})
}

// ReportUse stores the last uses of keys, at most 1000. It ignores an entry that is
// incomplete, whose key is not in its account, or that is older than the stored use. Such
// an entry does not prevent the others from being stored. An invalid address is stored as
// empty.
func (s *Service) ReportUse(ctx context.Context, uses []report.Use) error {
	last, err := report.LastUses(uses, access.Now())
	if err != nil || len(last) == 0 {
		return err
	}
	return access.WrapStore(s.store.SaveUses(ctx, last))
}
