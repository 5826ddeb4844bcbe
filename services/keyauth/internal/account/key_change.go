package account

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// UpdateKey changes the settings that mask lists. Other settings stay unchanged,
// even if another caller changes them at the same time. A key that was revoked or
// replaced cannot be changed. Requires the member role.
func (s *Service) UpdateKey(ctx context.Context, actor access.Actor, id string, values setting.Key, mask []string) (Key, error) {
	var k Key
	err := s.write(ctx, func(tx Tx) (err error) {
		a, err := access.Authorize(ctx, tx, actor, access.Member)
		if err != nil {
			return err
		}
		if k, err = findKey(ctx, tx, a.ID, id); err != nil {
			return err
		}
		if err := k.checkChangeable(); err != nil {
			return err
		}
		before := k
		if err := setting.KeyFields.Apply(&k.Settings, values, mask); err != nil {
			return err
		}
		if err := k.Settings.Validate(); err != nil {
			return err
		}
		if !k.Settings.ExpiresAt.Equal(before.Settings.ExpiresAt) {
			if err := validateExpiry(k.Settings.ExpiresAt); err != nil {
				return err
			}
		}
		if err := saveChangedKey(ctx, tx, actor, "key.update", before, k); err != nil {
			return err
		}
		return s.notifyAfterBudgetChange(ctx, tx, Credential{Account: a, Key: k}, before.Settings.Limits)
	})
	return k, err
}

// RotateKey creates a new key with the same settings. The old key expires after the
// overlap, or at its own expiry if that is earlier. Requires the member role.
func (s *Service) RotateKey(ctx context.Context, actor access.Actor, id string, overlap time.Duration) (NewKey, error) {
	var made NewKey
	if overlap < 0 || overlap > maxOverlap {
		return made, setting.InvalidParam("overlap_seconds", "the overlap must be from 0 seconds to 90 days")
	}
	err := s.write(ctx, func(tx Tx) error {
		old, err := findAuthorizedKey(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if err := old.checkChangeable(); err != nil {
			return err
		}
		if old.State(access.Now()) != Active {
			return setting.InvalidParam("key_id", "the key has expired; create a new one")
		}
		made = s.newKey(old.AccountID, old.Settings)
		if err := saveNewKey(ctx, tx, actor, made.Key); err != nil {
			return err
		}
		replaced := old.asReplaced(made.Key.ID, access.Now().Add(overlap))
		if err := saveChangedKey(ctx, tx, actor, "key.rotate", old, replaced); err != nil {
			return err
		}
		return checkKeyLimit(ctx, tx, old.AccountID)
	})
	return made, err
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

func validateExpiry(at time.Time) error {
	if !at.IsZero() && !at.After(access.Now()) {
		return setting.InvalidParam("expires_at", "the expiry must be in the future")
	}
	return nil
}
