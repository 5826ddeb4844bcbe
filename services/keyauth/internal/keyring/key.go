// Package keyring implements API keys: it creates, changes, rotates, revokes and verifies them. A key
// is returned once and stored as an HMAC with the pepper. Verify resolves a key to its Principal, which
// holds the settings, limits and group budgets of its requests. Proxies cache principals and follow the
// change log, which lists changed keys and accounts. A playground key belongs to a user: its secret is
// derived, not stored. Package access defines accounts and roles.
package keyring

import (
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const (
	// maxOverlap limits how long the old key works after a rotation. An application
	// that needs two keys for longer must create a second key.
	maxOverlap = 90 * 24 * time.Hour
	// maxKeys limits the keys of an account, not counting ended keys. A key has ended
	// if it was revoked, or if it was replaced and has expired.
	maxKeys = 500
	// maxListedEnded bounds how many ended keys are listed.
	maxListedEnded = 200
)

// State is whether a key may be used.
type State string

// The key states.
const (
	Active  State = "active"
	Revoked State = "revoked"
	Expired State = "expired"
)

// Key is an API key without its secret.
type Key struct {
	ID        string
	AccountID string
	// MAC is HMAC(pepper, SHA-256(key)). The key itself is not stored.
	MAC       []byte
	Prefix    string
	Settings  setting.Key
	CreatedAt time.Time
	RevokedAt time.Time
	// ReplacedBy is the id of the successor after a rotation.
	ReplacedBy string
	// PlaygroundUser is the user for whom the dashboard sends playground requests with
	// this key; empty for keys that users create.
	PlaygroundUser string
	// LastUsedAt and LastUsedFrom are the time and the IP address of the last
	// use; empty if the key was never used.
	LastUsedAt   time.Time
	LastUsedFrom string
}

// State returns the state of the key at a time.
func (k Key) State(at time.Time) State {
	switch {
	case !k.RevokedAt.IsZero():
		return Revoked
	case !k.Settings.ExpiresAt.IsZero() && !at.Before(k.Settings.ExpiresAt):
		return Expired
	}
	return Active
}

// Created is a new key with its secret. The secret is not stored anywhere.
type Created struct {
	Key    Key
	Secret string
}

func (k Key) checkChangeable() error {
	switch {
	case !k.RevokedAt.IsZero():
		return setting.InvalidParam("key_id", "the key has been revoked")
	case k.ReplacedBy != "":
		return setting.InvalidParam("key_id", "the key has been rotated; change its replacement instead")
	}
	return nil
}

func (k Key) asReplaced(by string, until time.Time) Key {
	k.ReplacedBy = by
	if k.Settings.ExpiresAt.IsZero() || until.Before(k.Settings.ExpiresAt) {
		k.Settings.ExpiresAt = until
	}
	return k
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
