package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"reflect"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// maxOverlap bounds a rotation: beyond it, two keys are what is wanted.
	maxOverlap = 90 * 24 * time.Hour
	// maxKeys is how many keys an account has that have not ended for good.
	maxKeys = 500
	// endedShown is how many of those that have are listed.
	endedShown = 200
)

// ErrorFormat is the shape of error bodies; empty means flat.
type ErrorFormat string

// The formats.
const (
	FormatFlat   ErrorFormat = "flat"
	FormatOpenAI ErrorFormat = "openai"
)

// KeyState is whether a key may be used.
type KeyState string

// The states.
const (
	Active  KeyState = "active"
	Revoked KeyState = "revoked"
	Expired KeyState = "expired"
)

// KeySettings is what an account holder decides about a key.
type KeySettings struct {
	Name          string
	Scopes        []string
	Models        []string
	Tags          []string
	MaySwapModel  bool
	BaselineModel string
	Capture       Capture
	ErrorFormat   ErrorFormat
	// ExpiresAt is when it ends by itself; zero means never.
	ExpiresAt time.Time
	Limits    Limits
}

// Key is a key as its holder sees it.
type Key struct {
	ID        string
	AccountID string
	// MAC is all that is kept of the key itself.
	MAC       []byte
	Prefix    string
	Settings  KeySettings
	CreatedAt time.Time
	RevokedAt time.Time
	// ReplacedBy is the successor after a rotation.
	ReplacedBy string
	// LastUsedAt and LastUsedFrom are the time and the address; empty while it
	// was not used.
	LastUsedAt   time.Time
	LastUsedFrom string
}

// State is whether the key may be used at a time.
func (k Key) State(at time.Time) KeyState {
	switch {
	case !k.RevokedAt.IsZero():
		return Revoked
	case !k.Settings.ExpiresAt.IsZero() && !at.Before(k.Settings.ExpiresAt):
		return Expired
	}
	return Active
}

// NewKey is a key with its secret, which is nowhere else.
type NewKey struct {
	Key    Key
	Secret string
}

// CreateKey makes a key. Members and owners.
func (s *Service) CreateKey(ctx context.Context, actor Actor, settings KeySettings) (NewKey, error) {
	var made NewKey
	err := s.write(ctx, func(tx Tx) error {
		a, err := authorize(ctx, tx, actor, Member)
		if err != nil {
			return err
		}
		if err := settings.check(); err != nil {
			return err
		}
		if err := checkExpiry(settings.ExpiresAt); err != nil {
			return err
		}
		made = s.newKey(a.ID, settings)
		if err := saveNewKey(ctx, tx, actor, made.Key); err != nil {
			return err
		}
		return checkRoom(ctx, tx, a.ID)
	})
	return made, err
}

// checkRoom refuses what was just written if the account has too many keys.
func checkRoom(ctx context.Context, tx Tx, accountID string) error {
	n, err := tx.CountKeys(ctx, accountID, now())
	if err != nil {
		return err
	}
	if n > maxKeys {
		return apperr.New(apperr.InvalidRequest, "an account has at most 500 keys; revoke one that is not needed").
			With("limit", maxKeys)
	}
	return nil
}

// Keys lists the account's keys, newest first: all that work or may work
// again, and the newest 200 of those that have ended for good.
func (s *Service) Keys(ctx context.Context, actor Actor) ([]Key, error) {
	a, err := authorize(ctx, s.store, actor, Viewer)
	if err != nil {
		return nil, err
	}
	keys, err := s.store.Keys(ctx, a.ID, now(), endedShown)
	return keys, storeError(err)
}

// RevokeKey ends a key for good. Ending it again changes nothing. Members and
// owners.
func (s *Service) RevokeKey(ctx context.Context, actor Actor, id string) (Key, error) {
	var k Key
	err := s.write(ctx, func(tx Tx) (err error) {
		if k, err = ownKey(ctx, tx, actor, id); err != nil || k.State(now()) == Revoked {
			return err
		}
		before := k
		k.RevokedAt = now()
		return saveKey(ctx, tx, actor, "key.revoke", before, k)
	})
	return k, err
}

func saveNewKey(ctx context.Context, tx Tx, actor Actor, k Key) error {
	if err := tx.SaveKey(ctx, k); err != nil {
		return err
	}
	return note(ctx, tx, actor, "key.create", k.ID, nil, k.members())
}

// saveKey leaves no trace of a change that changes nothing: it would wake every
// proxy and fill the trail.
func saveKey(ctx context.Context, tx Tx, actor Actor, action string, before, k Key) error {
	if reflect.DeepEqual(before, k) {
		return nil
	}
	if err := tx.SaveKey(ctx, k); err != nil {
		return err
	}
	return note(ctx, tx, actor, action, k.ID, before.members(), k.members())
}

// ownKey finds a key for a change by the actor.
func ownKey(ctx context.Context, tx Tx, actor Actor, id string) (Key, error) {
	a, err := authorize(ctx, tx, actor, Member)
	if err != nil {
		return Key{}, err
	}
	return keyOf(ctx, tx, a.ID, id)
}

func keyOf(ctx context.Context, tx Tx, accountID, id string) (Key, error) {
	if !isID(id) {
		return Key{}, notFound("key")
	}
	c, err := tx.Credential(ctx, accountID, id)
	return c.Key, found(err, "key")
}

func (s *Service) newKey(accountID string, settings KeySettings) NewKey {
	secret := apikey.New()
	return NewKey{Secret: secret, Key: Key{
		ID: newID(), AccountID: accountID, MAC: s.mac(apikey.Sum(secret)),
		Prefix: apikey.Shown(secret), Settings: settings, CreatedAt: now(),
	}}
}

func (s *Service) mac(digest apikey.Digest) []byte {
	h := hmac.New(sha256.New, s.pepper)
	h.Write(digest[:])
	return h.Sum(nil)
}

func invalid(param, message string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, message).With("param", param)
}
