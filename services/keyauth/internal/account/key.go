package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"reflect"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const (
	// maxOverlap limits how long the old key works after a rotation. An application
	// that needs two keys for longer must create a second key.
	maxOverlap = 90 * 24 * time.Hour
	// maxKeys limits the keys of an account, not counting ended keys. A key has ended
	// if it was revoked, or if it was replaced and has expired.
	maxKeys = 500
	// maxListedEndedKeys bounds how many ended keys are listed.
	maxListedEndedKeys = 200
)

// KeyState is whether a key may be used.
type KeyState string

// The key states.
const (
	Active  KeyState = "active"
	Revoked KeyState = "revoked"
	Expired KeyState = "expired"
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

// KeyReader reads keys.
type KeyReader interface {
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

// KeyWriter reads and saves keys. Saving a key also appends to the change log.
type KeyWriter interface {
	KeyReader
	SaveKey(ctx context.Context, k Key) error
}

// auditedKeys changes keys and records the changes.
type auditedKeys interface {
	KeyWriter
	access.EventWriter
}

// State returns the state of the key at a time.
func (k Key) State(at time.Time) KeyState {
	switch {
	case !k.RevokedAt.IsZero():
		return Revoked
	case !k.Settings.ExpiresAt.IsZero() && !at.Before(k.Settings.ExpiresAt):
		return Expired
	}
	return Active
}

// NewKey is a new key with its secret. The secret is not stored anywhere.
type NewKey struct {
	Key    Key
	Secret string
}

// CreateKey creates a key. Requires the member role.
func (s *Service) CreateKey(ctx context.Context, actor access.Actor, settings setting.Key) (NewKey, error) {
	var made NewKey
	err := s.write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Member)
		if err != nil {
			return err
		}
		if err := settings.Validate(); err != nil {
			return err
		}
		if err := validateExpiry(settings.ExpiresAt); err != nil {
			return err
		}
		made = s.newKey(a.ID, settings)
		if err := saveNewKey(ctx, tx, actor, made.Key); err != nil {
			return err
		}
		return checkKeyLimit(ctx, tx, a.ID)
	})
	return made, err
}

// checkKeyLimit runs after the new key was saved. If the account has too many keys,
// checkKeyLimit returns an error, so that the transaction is rolled back.
func checkKeyLimit(ctx context.Context, tx KeyReader, accountID string) error {
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

// Keys lists the keys of the account, newest first. It includes all keys that have
// not ended, and the newest 200 ended keys.
func (s *Service) Keys(ctx context.Context, actor access.Actor) ([]Key, error) {
	a, err := access.Authorize(ctx, s.store, actor, access.Viewer)
	if err != nil {
		return nil, err
	}
	keys, err := s.store.Keys(ctx, a.ID, access.Now(), maxListedEndedKeys)
	return keys, access.WrapStore(err)
}

// RevokeKey revokes a key permanently. Revoking it again changes nothing. Requires
// the member role.
func (s *Service) RevokeKey(ctx context.Context, actor access.Actor, id string) (Key, error) {
	var k Key
	err := s.write(ctx, func(tx Tx) (err error) {
		if k, err = findAuthorizedKey(ctx, tx, actor, id); err != nil || k.State(access.Now()) == Revoked {
			return err
		}
		before := k
		k.RevokedAt = access.Now()
		return saveChangedKey(ctx, tx, actor, "key.revoke", before, k)
	})
	return k, err
}

func saveNewKey(ctx context.Context, tx auditedKeys, actor access.Actor, k Key) error {
	if err := tx.SaveKey(ctx, k); err != nil {
		return err
	}
	return access.RecordEvent(ctx, tx, actor, "key.create", k.ID, nil, k.auditFields())
}

// saveChangedKey does nothing if the key has not changed. Saving an unchanged key would
// wake every proxy and add an empty change to the audit log.
func saveChangedKey(ctx context.Context, tx auditedKeys, actor access.Actor, action string, before, k Key) error {
	if reflect.DeepEqual(before, k) {
		return nil
	}
	if err := tx.SaveKey(ctx, k); err != nil {
		return err
	}
	return access.RecordEvent(ctx, tx, actor, action, k.ID, before.auditFields(), k.auditFields())
}

// findAuthorizedKey returns the key if the actor may change it.
func findAuthorizedKey(ctx context.Context, tx Tx, actor access.Actor, id string) (Key, error) {
	a, err := access.Authorize(ctx, tx, actor, access.Member)
	if err != nil {
		return Key{}, err
	}
	return findKey(ctx, tx, a.ID, id)
}

func findKey(ctx context.Context, tx KeyReader, accountID, id string) (Key, error) {
	if !access.IsID(id) {
		return Key{}, access.NotFound("key")
	}
	c, err := tx.Credential(ctx, accountID, id)
	if err == nil && c.Key.PlaygroundUser != "" {
		return Key{}, access.NotFound("key")
	}
	return c.Key, access.WrapLookup(err, "key")
}

func (s *Service) newKey(accountID string, settings setting.Key) NewKey {
	secret := apikey.New()
	return NewKey{Secret: secret, Key: Key{
		ID: access.NewID(), AccountID: accountID, MAC: s.computeMAC(apikey.DigestOf(secret)),
		Prefix: apikey.DisplayPrefix(secret), Settings: settings, CreatedAt: access.Now(),
	}}
}

func (s *Service) computeMAC(digest apikey.Digest) []byte {
	h := hmac.New(sha256.New, s.pepper)
	h.Write(digest[:])
	return h.Sum(nil)
}
