package account

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

// changesAtOnce bounds what one look at the change log returns.
const changesAtOnce = 500

// Credential is a key with its account, as they were at a version.
type Credential struct {
	Key     Key
	Account Account
	Version int64
}

// Principal is what a key resolves to: its settings with the account's where
// the key leaves them open.
type Principal struct {
	AccountID string
	KeyID     string
	State     KeyState
	Settings  KeySettings
	// AccountLimits is what the account as a whole may do.
	AccountLimits Limits
	// Version is the position in the change log at which this was true.
	Version int64
}

// Change is one entry of the change log.
type Change struct {
	Version   int64
	AccountID string
	// KeyID is empty when every key of the account is concerned.
	KeyID string
	// Principal is what the key is now; nil means: ask again.
	Principal *Principal
}

// Verify resolves a key's digest. Errors: AUTH_INVALID_KEY, with the reason
// unknown, revoked or expired; AUTH_UNAVAILABLE when the store cannot be
// asked.
func (s *Service) Verify(ctx context.Context, digest apikey.Digest) (Principal, error) {
	c, err := s.store.CredentialByMAC(ctx, s.mac(digest))
	if errors.Is(err, ErrNone) {
		return Principal{}, refused("unknown")
	}
	if err != nil {
		return Principal{}, apperr.New(apperr.AuthUnavailable, "keys cannot be checked at the moment").Because(err)
	}
	p := c.principal()
	if p.State != Active {
		return Principal{}, refused(string(p.State))
	}
	return p, nil
}

// Head is the present end of the change log.
func (s *Service) Head(ctx context.Context) (int64, error) {
	head, err := s.store.Head(ctx)
	return head, storeError(err)
}

// Start is the version after which a watch begins that has seen the log up to
// since; 0 begins at the present. Error: INVALID_REQUEST for a version from
// which the log cannot go on, because it was pruned, or because the store is
// not the one that the watcher knew. Nothing that the watcher remembers holds
// then, and it starts anew.
func (s *Service) Start(ctx context.Context, since int64) (int64, error) {
	head, err := s.Head(ctx)
	if err != nil || since == 0 {
		return head, err
	}
	if since < 0 || since > head {
		return 0, invalid("since_version", "the change log has no such version; start at 0")
	}
	next, err := s.store.Changes(ctx, since, 1)
	if err != nil {
		return 0, storeError(err)
	}
	return since, unbroken(next, since)
}

// unbroken refuses changes that do not follow a version without a gap.
func unbroken(changes []Change, after int64) error {
	if len(changes) > 0 && changes[0].Version != after+1 {
		return invalid("since_version", "the change log no longer reaches back so far; start at 0")
	}
	return nil
}

// Changes lists what follows a version, in order, not necessarily all at once.
// Error: INVALID_REQUEST when the log no longer has all of it; whoever watches
// starts anew.
func (s *Service) Changes(ctx context.Context, after int64) ([]Change, error) {
	changes, err := s.store.Changes(ctx, after, changesAtOnce)
	if err != nil {
		return nil, storeError(err)
	}
	if err := unbroken(changes, after); err != nil {
		return nil, err
	}
	for i := range changes {
		if err := s.fill(ctx, &changes[i]); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// Changed is closed by the next change made through this service. Changes of
// other processes do not close it.
func (s *Service) Changed() <-chan struct{} { return s.bell.next() }

func (s *Service) fill(ctx context.Context, ch *Change) error {
	if ch.KeyID == "" {
		return nil
	}
	c, err := s.store.Credential(ctx, ch.AccountID, ch.KeyID)
	if errors.Is(err, ErrNone) {
		return nil
	}
	if err != nil {
		return storeError(err)
	}
	p := c.principal()
	ch.Principal = &p
	return nil
}

func (c Credential) principal() Principal {
	p := Principal{
		AccountID: c.Account.ID, KeyID: c.Key.ID, State: c.Key.State(now()),
		Settings: c.Key.Settings, AccountLimits: c.Account.Limits, Version: c.Version,
	}
	if p.Settings.BaselineModel == "" {
		p.Settings.BaselineModel = c.Account.BaselineModel
	}
	if p.Settings.Capture == "" {
		p.Settings.Capture = c.Account.Capture
	}
	return p
}

func refused(reason string) error {
	return apperr.New(apperr.AuthInvalidKey, "the API key is not valid").With("reason", reason)
}
