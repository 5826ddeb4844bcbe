package access

import (
	"context"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

// EventWriter records events with the e-mail address of the user.
type EventWriter interface {
	audit.Writer
	UserReader
}

// RecordEvent appends to the audit log, in the same transaction as the change. For
// a created object, before is nil. For a deleted object, after is nil.
func RecordEvent(ctx context.Context, tx EventWriter, actor Actor, action, subject string, before, after audit.Fields) error {
	e := audit.Event{AccountID: actor.AccountID, At: Now(), UserID: actor.UserID, Action: action, Subject: subject}
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
