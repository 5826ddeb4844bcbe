package account

import (
	"context"
	"math"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

const (
	defaultEventPage = 50
	maxEventPage     = 200
)

// auditWriter records events with the e-mail address of the user.
type auditWriter interface {
	audit.Writer
	UserReader
}

// Audit lists the events of a filter, newest first. If before is positive, Audit lists only events with
// a lower version than before. A limit of 0 means 50, and the maximum is 200. The second
// result is the value of before for the next page; 0 means that no events are left.
// Requires the owner role.
func (s *Service) Audit(ctx context.Context, actor Actor, f audit.Filter, before int64, limit int) ([]audit.Event, int64, error) {
	a, err := authorize(ctx, s.store, actor, Owner)
	if err != nil {
		return nil, 0, err
	}
	if before <= 0 {
		before = math.MaxInt64
	}
	limit = clampPageSize(limit, defaultEventPage, maxEventPage)
	events, err := s.store.Events(ctx, a.ID, f, before, limit+1)
	if err != nil {
		return nil, 0, wrapStoreError(err)
	}
	if len(events) <= limit {
		return events, 0, nil
	}
	return events[:limit], events[limit-1].Version, nil
}

func clampPageSize(requested, standard, most int) int {
	if requested <= 0 {
		return standard
	}
	return min(requested, most)
}

// recordEvent appends to the audit log, in the same transaction as the change. For
// a created object, before is nil. For a deleted object, after is nil.
func recordEvent(ctx context.Context, tx auditWriter, actor Actor, action, subject string, before, after audit.Fields) error {
	e := audit.Event{AccountID: actor.AccountID, At: now(), UserID: actor.UserID, Action: action, Subject: subject}
	if actor.UserID != "" {
		u, err := tx.User(ctx, actor.AccountID, actor.UserID)
		if err != nil {
			return err
		}
		e.Email = u.Email
	}
	if err := e.SetFields(before, after); err != nil {
		return err
	}
	return tx.SaveEvent(ctx, e)
}

func (a Account) auditFields() audit.Fields {
	return a.Limits.AddTo(audit.Fields{
		"name": a.Name, "baseline_model": a.BaselineModel, "capture": a.Capture, "content_days": a.ContentDays,
		"webhook_url": a.WebhookURL, "webhook_signed": a.WebhookSigned(), "allow_experiments": a.AllowExperiments,
	})
}

func (u User) auditFields() audit.Fields { return audit.Fields{"email": u.Email, "role": u.Role} }

func (i Invite) auditFields() audit.Fields {
	return audit.Fields{"role": i.Role, "new_account": i.NewAccount, "expires_at": i.ExpiresAt}
}

func (t APIToken) auditFields(u User) audit.Fields {
	return audit.Fields{"name": t.Name, "prefix": t.Prefix, "scopes": t.Scopes, "user": u.Email, "expires_at": t.ExpiresAt}
}

func (s Session) auditFields() audit.Fields {
	return audit.Fields{"user_id": s.UserID, "client": s.Client, "created_at": s.CreatedAt}
}

func (k Key) auditFields() audit.Fields {
	s := k.Settings
	return s.Limits.AddTo(audit.Fields{
		"prefix": k.Prefix, "name": s.Name, "scopes": s.Scopes, "models": s.Models, "tags": s.Tags,
		"may_swap_model": s.MaySwapModel, "baseline_model": s.BaselineModel, "capture": s.Capture,
		"error_format": s.ErrorFormat, "expires_at": s.ExpiresAt, "revoked_at": k.RevokedAt, "replaced_by": k.ReplacedBy,
		"user": s.User, "agent": s.Agent,
	})
}
