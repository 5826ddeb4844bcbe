package account

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"time"
)

const (
	eventsShown = 50
	eventsMost  = 200
)

// Event is one change in the audit trail of an account.
type Event struct {
	AccountID string
	// Version is the position in the account's trail.
	Version int64
	At      time.Time
	// UserID is who; empty for the operator's command line.
	UserID string
	// Email is that user's at the time: the user may be gone later.
	Email string
	// Action is what was done, such as key.create.
	Action string
	// Subject is the id of what was changed.
	Subject string
	// Before and After are JSON objects of the members that changed.
	Before string
	After  string
}

// Audit lists the account's trail before a version, newest first; 0 starts at
// the newest. A limit of 0 means 50, and it is never more than 200. It returns
// where to go on, 0 at the end. Owners alone.
func (s *Service) Audit(ctx context.Context, actor Actor, before int64, limit int) ([]Event, int64, error) {
	a, err := authorize(ctx, s.store, actor, Owner)
	if err != nil {
		return nil, 0, err
	}
	if before <= 0 {
		before = math.MaxInt64
	}
	limit = pageSize(limit, eventsShown, eventsMost)
	events, err := s.store.Events(ctx, a.ID, before, limit+1)
	if err != nil {
		return nil, 0, storeError(err)
	}
	if len(events) <= limit {
		return events, 0, nil
	}
	return events[:limit], events[limit-1].Version, nil
}

func pageSize(asked, usual, most int) int {
	if asked <= 0 {
		return usual
	}
	return min(asked, most)
}

// members are what the trail shows of a thing. Whoever makes one chooses them
// one by one, so that no hash gets in by being added to a type.
type members map[string]any

// note keeps who changed what, in the transaction of the change. Of a change
// it is given both sides, of what begins or ends one.
func note(ctx context.Context, tx Tx, actor Actor, action, subject string, before, after members) error {
	e := Event{AccountID: actor.AccountID, At: now(), UserID: actor.UserID, Action: action, Subject: subject}
	if actor.UserID != "" {
		u, err := tx.User(ctx, actor.AccountID, actor.UserID)
		if err != nil {
			return err
		}
		e.Email = u.Email
	}
	var err error
	if e.Before, err = before.changed(after); err != nil {
		return err
	}
	if e.After, err = after.changed(before); err != nil {
		return err
	}
	return tx.Note(ctx, e)
}

// changed is a JSON object of the members that are not the same in other.
// Without another side, those without a value are left out.
func (m members) changed(other members) (string, error) {
	out := members{}
	for name, v := range m {
		if other == nil && reflect.ValueOf(v).IsZero() || other != nil && reflect.DeepEqual(v, other[name]) {
			continue
		}
		out[name] = shown(v)
	}
	text, err := json.Marshal(out)
	return string(text), err
}

// shown is null for a text or a time that is not set, which JSON cannot tell.
func shown(v any) any {
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

func (a Account) members() members {
	return a.Limits.addTo(members{
		"name": a.Name, "baseline_model": a.BaselineModel, "capture": a.Capture, "content_days": a.ContentDays,
		"webhook_url": a.WebhookURL, "webhook_signed": a.WebhookSigned(),
	})
}

func (u User) members() members { return members{"email": u.Email, "role": u.Role} }

func (i Invite) members() members {
	return members{"role": i.Role, "new_account": i.NewAccount, "expires_at": i.ExpiresAt}
}

func (s Session) members() members {
	return members{"user_id": s.UserID, "client": s.Client, "created_at": s.CreatedAt}
}

func (k Key) members() members {
	s := k.Settings
	return s.Limits.addTo(members{
		"prefix": k.Prefix, "name": s.Name, "scopes": s.Scopes, "models": s.Models, "tags": s.Tags,
		"may_swap_model": s.MaySwapModel, "baseline_model": s.BaselineModel, "capture": s.Capture,
		"error_format": s.ErrorFormat, "expires_at": s.ExpiresAt, "revoked_at": k.RevokedAt, "replaced_by": k.ReplacedBy,
	})
}
