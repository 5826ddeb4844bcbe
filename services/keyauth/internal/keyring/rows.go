package keyring

import (
	"context"
	"reflect"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// Reader reads keys.
type Reader interface {
	// Keys lists the keys of an account, newest first, without those of the playground:
	// all keys that have not ended at the given time, and the newest maxEnded keys that have. A key has ended if it
	// was revoked, or if it was replaced and has expired.
	Keys(ctx context.Context, accountID string, at time.Time, maxEnded int) ([]Key, error)
	// CountKeys counts the keys that have not ended, without those of the playground.
	CountKeys(ctx context.Context, accountID string, at time.Time) (int, error)
	Credential(ctx context.Context, accountID, keyID string) (Credential, error)
	// PlaygroundKey returns the playground key of a user.
	PlaygroundKey(ctx context.Context, accountID, userID string) (Key, error)
	// CredentialByMAC does not read the last use of the key.
	CredentialByMAC(ctx context.Context, mac []byte) (Credential, error)
}

// Writer reads and saves keys. Saving a key also appends to the change log.
type Writer interface {
	Reader
	SaveKey(ctx context.Context, k Key) error
}

// auditedWriter changes keys and records the changes.
type auditedWriter interface {
	Writer
	access.EventWriter
}

// checkLimit runs after the new key was saved. If the account has too many keys,
// checkLimit returns an error, so that the transaction is rolled back.
func checkLimit(ctx context.Context, tx Reader, accountID string) error {
	n, err := tx.CountKeys(ctx, accountID, access.Now())
	if err != nil {
		return err
	}
	if n > maxKeys {
		return apperr.New(apperr.InvalidRequest, "the account has reached its limit of 500 keys; revoke one that is not needed").
			With("limit", maxKeys)
	}
	return nil
}

// SaveNew saves a created key and records it.
func SaveNew(ctx context.Context, tx auditedWriter, actor access.Actor, k Key) error {
	if err := tx.SaveKey(ctx, k); err != nil {
		return err
	}
	return access.RecordEvent(ctx, tx, actor, "key.create", k.ID, nil, k.auditFields())
}

// saveChanged does nothing if the key has not changed. Saving an unchanged key would
// wake every proxy and add an empty change to the audit log.
func saveChanged(ctx context.Context, tx auditedWriter, actor access.Actor, action string, before, k Key) error {
	if reflect.DeepEqual(before, k) {
		return nil
	}
	if err := tx.SaveKey(ctx, k); err != nil {
		return err
	}
	return access.RecordEvent(ctx, tx, actor, action, k.ID, before.auditFields(), k.auditFields())
}

// findAuthorized returns the key if the actor may change it.
func findAuthorized(ctx context.Context, tx Tx, actor access.Actor, id string) (Key, error) {
	a, err := access.Authorize(ctx, tx, actor, access.Member)
	if err != nil {
		return Key{}, err
	}
	return find(ctx, tx, a.ID, id)
}

// find returns a key that users created. The keys of the playground are hidden.
func find(ctx context.Context, tx Reader, accountID, id string) (Key, error) {
	if !access.IsID(id) {
		return Key{}, access.NotFound("key")
	}
	c, err := tx.Credential(ctx, accountID, id)
	if err == nil && c.Key.PlaygroundUser != "" {
		return Key{}, access.NotFound("key")
	}
	return c.Key, access.WrapLookup(err, "key")
}

func validateExpiry(at time.Time) error {
	if !at.IsZero() && !at.After(access.Now()) {
		return setting.InvalidParam("expires_at", "the expiry must be in the future")
	}
	return nil
}
