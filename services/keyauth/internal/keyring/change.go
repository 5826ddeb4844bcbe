package keyring

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// Update changes the settings that mask lists. Other settings stay unchanged,
// even if another caller changes them at the same time. A key that was revoked or
// replaced cannot be changed. Requires the member role.
func (s *Service) Update(ctx context.Context, actor access.Actor, id string, values setting.Key, mask []string) (Key, error) {
	var k Key
	err := s.Write(ctx, func(tx Tx) (err error) {
		a, err := access.Authorize(ctx, tx, actor, access.Member)
		if err != nil {
			return err
		}
		if k, err = find(ctx, tx, a.ID, id); err != nil {
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
		if err := saveChanged(ctx, tx, actor, "key.update", before, k); err != nil {
			return err
		}
		return s.BudgetChanged(ctx, tx, Credential{Account: a, Key: k}, before.Settings.Limits)
	})
	return k, err
}

// Rotate creates a new key with the same settings. The old key expires after the
// overlap, or at its own expiry if that is earlier. Requires the member role.
func (s *Service) Rotate(ctx context.Context, actor access.Actor, id string, overlap time.Duration) (Created, error) {
	var made Created
	if overlap < 0 || overlap > maxOverlap {
		return made, setting.InvalidParam("overlap_seconds", "the overlap must be from 0 seconds to 90 days")
	}
	err := s.Write(ctx, func(tx Tx) error {
		old, err := findAuthorized(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if err := old.checkChangeable(); err != nil {
			return err
		}
		if old.State(access.Now()) != Active {
			return setting.InvalidParam("key_id", "the key has expired; create a new one")
		}
		made = s.New(old.AccountID, old.Settings)
		if err := SaveNew(ctx, tx, actor, made.Key); err != nil {
			return err
		}
		replaced := old.asReplaced(made.Key.ID, access.Now().Add(overlap))
		if err := saveChanged(ctx, tx, actor, "key.rotate", old, replaced); err != nil {
			return err
		}
		return checkLimit(ctx, tx, old.AccountID)
	})
	return made, err
}
