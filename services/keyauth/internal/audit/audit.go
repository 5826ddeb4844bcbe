// Package audit defines the audit log: an Event is one change of an account, with the
// user that made it and the fields that changed. Fields lists the fields of an object
// that the log shows, and SetFields compares two of them. The account package records
// an event in the transaction of every change; the store keeps them.
package audit

import (
	"context"
	"encoding/json"
	"reflect"
	"time"
)

// Event is one change in the audit log of an account.
type Event struct {
	AccountID string
	// Version is the position in the audit log of the account.
	Version int64
	At      time.Time
	// UserID is the user that made the change. It is empty for changes by the operator's
	// command line and by keyauth itself.
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

// Filter selects events. Empty fields select all of them.
type Filter struct {
	// Action is an action such as key.create, or the first part of several actions, such
	// as key.
	Action string
	// Email is a part of the user's e-mail address.
	Email   string
	Subject string
	// From is the time of the first event, and To the time after the last one.
	From, To time.Time
}

// Reader reads the audit log.
type Reader interface {
	// Events lists events of the audit log of an account before a version, newest first.
	Events(ctx context.Context, accountID string, f Filter, before int64, limit int) ([]Event, error)
}

// Writer appends to the audit log.
type Writer interface {
	// SaveEvent appends to the audit log of the account and assigns the version.
	SaveEvent(ctx context.Context, e Event) error
}

// Fields holds the fields of an object that the audit log shows. Each type
// lists its fields explicitly, so that a secret field is never logged by accident.
type Fields map[string]any

// SetFields sets Before and After to the fields that differ. For a created object,
// before is nil. For a deleted object, after is nil.
func (e *Event) SetFields(before, after Fields) (err error) {
	if e.Before, err = before.changedJSON(after); err != nil {
		return err
	}
	e.After, err = after.changedJSON(before)
	return err
}

// changedJSON returns a JSON object of the fields whose values are different in other.
// If other is nil, it returns all fields that are not empty.
func (m Fields) changedJSON(other Fields) (string, error) {
	out := Fields{}
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
