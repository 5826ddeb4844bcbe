package keyring

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

// Store reads keys, their accounts and the group budgets that apply to them.
type Store interface {
	Reader
	ChangeReader
	access.MemberReader
	// Budgets lists the group budgets of an account by name.
	Budgets(ctx context.Context, accountID string) ([]setting.Budget, error)
}

// Tx is a transaction that changes keys and records the changes. A changed budget can also queue
// notices.
type Tx interface {
	Writer
	access.AccountReader
	access.EventWriter
	spend.Sums
	notice.Queue
}

// Service implements the operations on keys. All fields are required. It is safe for concurrent use.
type Service struct {
	Store Store
	// Pepper is the key of the stored HMACs.
	Pepper []byte
	// Write runs f in one transaction. If it returns nil, the changes are durable.
	Write func(ctx context.Context, f func(tx Tx) error) error
	// BudgetChanged runs after the limits of a key have changed. before are the old ones.
	BudgetChanged func(ctx context.Context, tx Tx, owner Credential, before setting.Limits) error
}

// Create creates a key. Requires the member role.
func (s *Service) Create(ctx context.Context, actor access.Actor, settings setting.Key) (Created, error) {
	var made Created
	err := s.Write(ctx, func(tx Tx) error {
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
		made = s.New(a.ID, settings)
		if err := SaveNew(ctx, tx, actor, made.Key); err != nil {
			return err
		}
		return checkLimit(ctx, tx, a.ID)
	})
	return made, err
}

// List lists the keys of the account, newest first. It includes all keys that have
// not ended, and the newest 200 ended keys.
func (s *Service) List(ctx context.Context, actor access.Actor) ([]Key, error) {
	a, err := access.Authorize(ctx, s.Store, actor, access.Viewer)
	if err != nil {
		return nil, err
	}
	keys, err := s.Store.Keys(ctx, a.ID, access.Now(), maxListedEnded)
	return keys, access.WrapStore(err)
}

// Revoke revokes a key permanently. Revoking it again changes nothing. Requires
// the member role.
func (s *Service) Revoke(ctx context.Context, actor access.Actor, id string) (Key, error) {
	var k Key
	err := s.Write(ctx, func(tx Tx) (err error) {
		if k, err = findAuthorized(ctx, tx, actor, id); err != nil || k.State(access.Now()) == Revoked {
			return err
		}
		before := k
		k.RevokedAt = access.Now()
		return saveChanged(ctx, tx, actor, "key.revoke", before, k)
	})
	return k, err
}

// New returns a key with a new secret. It does not save the key.
func (s *Service) New(accountID string, settings setting.Key) Created {
	secret := apikey.New()
	return Created{Secret: secret, Key: Key{
		ID: access.NewID(), AccountID: accountID, MAC: s.computeMAC(apikey.DigestOf(secret)),
		Prefix: apikey.DisplayPrefix(secret), Settings: settings, CreatedAt: access.Now(),
	}}
}

func (s *Service) computeMAC(digest apikey.Digest) []byte {
	h := hmac.New(sha256.New, s.Pepper)
	h.Write(digest[:])
	return h.Sum(nil)
}
