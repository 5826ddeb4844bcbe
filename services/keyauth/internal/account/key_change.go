package account

import (
	"context"
	"time"
)

// UpdateKey changes the settings that mask lists. Other settings stay unchanged,
// even if another caller changes them at the same time. A key that was revoked or
// replaced cannot be changed. Requires the member role.
func (s *Service) UpdateKey(ctx context.Context, actor Actor, id string, values KeySettings, mask []string) (Key, error) {
	var k Key
	err := s.write(ctx, func(tx Tx) (err error) {
		a, err := authorize(ctx, tx, actor, Member)
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
		if err := applyMask(settingFields, &k.Settings, values, mask); err != nil {
			return err
		}
		if err := k.Settings.validate(); err != nil {
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
func (s *Service) RotateKey(ctx context.Context, actor Actor, id string, overlap time.Duration) (NewKey, error) {
	var made NewKey
	if overlap < 0 || overlap > maxOverlap {
		return made, invalidParamError("overlap_seconds", "the overlap must be from 0 seconds to 90 days")
	}
	err := s.write(ctx, func(tx Tx) error {
		old, err := findAuthorizedKey(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if err := old.checkChangeable(); err != nil {
			return err
		}
		if old.State(now()) != Active {
			return invalidParamError("key_id", "the key has expired; create a new one")
		}
		made = s.newKey(old.AccountID, old.Settings)
		if err := saveNewKey(ctx, tx, actor, made.Key); err != nil {
			return err
		}
		replaced := old.asReplaced(made.Key.ID, now().Add(overlap))
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
		return invalidParamError("key_id", "the key has been revoked")
	case k.ReplacedBy != "":
		return invalidParamError("key_id", "the key has been rotated; change its replacement instead")
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

var settingFields = withLimits(map[string]func(to *KeySettings, from KeySettings){
	"name":           func(to *KeySettings, from KeySettings) { to.Name = from.Name },
	"scopes":         func(to *KeySettings, from KeySettings) { to.Scopes = from.Scopes },
	"models":         func(to *KeySettings, from KeySettings) { to.Models = from.Models },
	"tags":           func(to *KeySettings, from KeySettings) { to.Tags = from.Tags },
	"may_swap_model": func(to *KeySettings, from KeySettings) { to.MaySwapModel = from.MaySwapModel },
	"baseline_model": func(to *KeySettings, from KeySettings) { to.BaselineModel = from.BaselineModel },
	"capture":        func(to *KeySettings, from KeySettings) { to.Capture = from.Capture },
	"error_format":   func(to *KeySettings, from KeySettings) { to.ErrorFormat = from.ErrorFormat },
	"expires_at":     func(to *KeySettings, from KeySettings) { to.ExpiresAt = from.ExpiresAt },
}, func(s *KeySettings) *Limits { return &s.Limits })

// applyMask copies the fields that mask lists. It rejects an empty mask. Otherwise a
// caller that forgot the mask would believe that the change was saved.
func applyMask[T any](fields map[string]func(to *T, from T), to *T, from T, mask []string) error {
	if len(mask) == 0 {
		return invalidParamError("mask", "name at least one field to change")
	}
	for _, name := range mask {
		set, ok := fields[name]
		if !ok {
			return invalidParamError("mask", "this field does not exist or cannot be changed: "+name)
		}
		set(to, from)
	}
	return nil
}
