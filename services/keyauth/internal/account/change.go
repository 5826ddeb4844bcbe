package account

import (
	"context"
	"time"
)

// UpdateKey changes the settings named by mask and leaves all others as they
// are, also when several callers change the key at once. A key that was
// revoked or replaced stays as it is. Members and owners.
func (s *Service) UpdateKey(ctx context.Context, actor Actor, id string, values KeySettings, mask []string) (Key, error) {
	var k Key
	err := s.write(ctx, func(tx Tx) (err error) {
		a, err := authorize(ctx, tx, actor, Member)
		if err != nil {
			return err
		}
		if k, err = keyOf(ctx, tx, a.ID, id); err != nil {
			return err
		}
		if err := k.changeable(); err != nil {
			return err
		}
		before := k
		if err := applyMask(settingFields, &k.Settings, values, mask); err != nil {
			return err
		}
		if err := k.Settings.check(); err != nil {
			return err
		}
		if !k.Settings.ExpiresAt.Equal(before.Settings.ExpiresAt) {
			if err := checkExpiry(k.Settings.ExpiresAt); err != nil {
				return err
			}
		}
		if err := saveKey(ctx, tx, actor, "key.update", before, k); err != nil {
			return err
		}
		return s.budgetSet(ctx, tx, Credential{Account: a, Key: k}, SumName{AccountID: a.ID, KeyID: k.ID}, before.Settings.Limits)
	})
	return k, err
}

// RotateKey makes a successor with the same settings; the old key works on for
// the overlap, or until it would have ended anyway. Members and owners.
func (s *Service) RotateKey(ctx context.Context, actor Actor, id string, overlap time.Duration) (NewKey, error) {
	var made NewKey
	if overlap < 0 || overlap > maxOverlap {
		return made, invalid("overlap_seconds", "the overlap must be from 0 seconds to 90 days")
	}
	err := s.write(ctx, func(tx Tx) error {
		old, err := ownKey(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if err := old.changeable(); err != nil {
			return err
		}
		if old.State(now()) != Active {
			return invalid("key_id", "the key has expired; make a new one")
		}
		made = s.newKey(old.AccountID, old.Settings)
		if err := saveNewKey(ctx, tx, actor, made.Key); err != nil {
			return err
		}
		replaced := old.replaced(made.Key.ID, now().Add(overlap))
		if err := saveKey(ctx, tx, actor, "key.rotate", old, replaced); err != nil {
			return err
		}
		return checkRoom(ctx, tx, old.AccountID)
	})
	return made, err
}

func (k Key) changeable() error {
	switch {
	case !k.RevokedAt.IsZero():
		return invalid("key_id", "the key was revoked")
	case k.ReplacedBy != "":
		return invalid("key_id", "the key was rotated; change its successor")
	}
	return nil
}

func (k Key) replaced(by string, until time.Time) Key {
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

// applyMask copies the named fields. A mask that names nothing is refused: it
// is a caller's mistake that would look like a success.
func applyMask[T any](fields map[string]func(to *T, from T), to *T, from T, mask []string) error {
	if len(mask) == 0 {
		return invalid("mask", "name at least one field to change")
	}
	for _, name := range mask {
		set, ok := fields[name]
		if !ok {
			return invalid("mask", "no such field can be changed: "+name)
		}
		set(to, from)
	}
	return nil
}
