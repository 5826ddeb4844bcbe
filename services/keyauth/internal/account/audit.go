package account

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"time"
)

const (
	defaultEventPage = 50
	maxEventPage     = 200
)

// Event is one change in the audit log of an account.
type Event struct {
	AccountID string
	// Version is the position in the audit log of the account.
	Version int64
	At      time.Time
	// UserID is the user that made the change; empty for the operator's command line.
	UserID string
	// Email is the user's e-mail address at that time. It is stored, because the user may be removed later.
	Email string
	// Action names the change, such as key.create.
	Action string
	// Subject is the id of the changed object.
	Subject string
	// Before and After are JSON objects with the fields that changed.
	Before string
	After  string
}

// EventReader reads the audit log.
type EventReader interface {
	// Events lists the audit log of an account before a version, newest first.
	Events(ctx context.Context, accountID string, before int64, limit int) ([]Event, error)
}

// EventWriter appends to the audit log.
type EventWriter interface {
	// SaveEvent appends to the audit log of the account and assigns the version.
	SaveEvent(ctx context.Context, e Event) error
}

// auditWriter records events with the e-mail address of the user.
type auditWriter interface {
	EventWriter
	UserReader
}

// Audit lists the events with a version below before, newest first. If before is 0,
// it starts at the newest event. A limit of 0 means 50, and the maximum is 200. The
// second result is the next value for before; 0 means that no events are left.
// Requires the owner role.
func (s *Service) Audit(ctx context.Context, actor Actor, before int64, limit int) ([]Event, int64, error) {
	a, err := authorize(ctx, s.store, actor, Owner)
	if err != nil {
		return nil, 0, err
	}
	if before <= 0 {
		before = math.MaxInt64
	}
	limit = clampPageSize(limit, defaultEventPage, maxEventPage)
	events, err := s.store.Events(ctx, a.ID, before, limit+1)
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

// auditFields holds the fields of an object that the audit log shows. Each type
// lists its fields explicitly, so that a secret field is never logged by accident.
type auditFields map[string]any

// recordEvent appends to the audit log, in the same transaction as the change. For
// a created object, before is nil. For a deleted object, after is nil.
func recordEvent(ctx context.Context, tx auditWriter, actor Actor, action, subject string, before, after auditFields) error {
	e := Event{AccountID: actor.AccountID, At: now(), UserID: actor.UserID, Action: action, Subject: subject}
	if actor.UserID != "" {
		u, err := tx.User(ctx, actor.AccountID, actor.UserID)
		if err != nil {
			return err
		}
		e.Email = u.Email
	}
	var err error
	if e.Before, err = before.changedJSON(after); err != nil {
		return err
	}
	if e.After, err = after.changedJSON(before); err != nil {
		return err
	}
	return tx.SaveEvent(ctx, e)
}

// changedJSON returns a JSON object of the fields that differ from other. If
// other is nil, it returns all fields that are not empty.
func (m auditFields) changedJSON(other auditFields) (string, error) {
	out := auditFields{}
	for name, v := range m {
		if other == nil && reflect.ValueOf(v).IsZero() || other != nil && reflect.DeepEqual(v, other[name]) {
			continue
		}
		out[name] = auditValue(v)
	}
	text, err := json.Marshal(out)
	return string(text), err
}

// auditValue turns empty strings and times into null, and a nil list into an empty list.
func auditValue(v any) any {
	switch at := reflect.ValueOf(v); at.Kind() {
	case reflect.String, reflect.Struct:
		if at.IsZero() {
			return nil
		}
	case reflect.Slice:
		if at.Len() == 0 {
			return []string{}
		}
	}
	return v
}

func (a Account) auditFields() auditFields {
	return a.Limits.addTo(auditFields{
		"name": a.Name, "baseline_model": a.BaselineModel, "capture": a.Capture, "content_days": a.ContentDays,
		"webhook_url": a.WebhookURL, "webhook_signed": a.WebhookSigned(),
	})
}

func (u User) auditFields() auditFields { return auditFields{"email": u.Email, "role": u.Role} }

func (i Invite) auditFields() auditFields {
	return auditFields{"role": i.Role, "new_account": i.NewAccount, "expires_at": i.ExpiresAt}
}

func (s Session) auditFields() auditFields {
	return auditFields{"user_id": s.UserID, "client": s.Client, "created_at": s.CreatedAt}
}

func (k Key) auditFields() auditFields {
	s := k.Settings
	return s.Limits.addTo(auditFields{
		"prefix": k.Prefix, "name": s.Name, "scopes": s.Scopes, "models": s.Models, "tags": s.Tags,
		"may_swap_model": s.MaySwapModel, "baseline_model": s.BaselineModel, "capture": s.Capture,
		"error_format": s.ErrorFormat, "expires_at": s.ExpiresAt, "revoked_at": k.RevokedAt, "replaced_by": k.ReplacedBy,
	})
}
