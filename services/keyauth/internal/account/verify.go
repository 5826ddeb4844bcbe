package account

import (
	"cmp"
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// maxChangePage bounds how many changes one read returns.
const maxChangePage = 500

// Credential is a key with its account, as of a version of the change log.
type Credential struct {
	Key     Key
	Account access.Account
	Version int64
}

// Principal is the result of verifying a key. It holds the settings of the key. Where
// the key has no baseline model or capture mode, it holds those of the account.
type Principal struct {
	AccountID string
	KeyID     string
	State     KeyState
	Settings  setting.Key
	// AccountLimits are the limits of the whole account.
	AccountLimits setting.Limits
	// AllowExperiments lets experiments compare models on requests of the account.
	AllowExperiments bool
	// Budgets are the group budgets that can apply to requests with the key.
	Budgets []setting.Budget
	// Version is the version of the change log at which the principal was read.
	Version int64
}

// Change is one entry of the change log.
type Change struct {
	Version   int64
	AccountID string
	// KeyID is empty if the change affects all keys of the account.
	KeyID string
	// Principal is the current state of the key. If it is nil, the watcher must discard
	// what it has cached for the key or the account.
	Principal *Principal
}

// ChangeReader reads the change log, which lists changed accounts and keys. Its
// versions become visible in order and without gaps.
type ChangeReader interface {
	// Head returns the latest version of the change log; it is never 0.
	Head(ctx context.Context) (int64, error)
	// Changes lists the changes after a version, in order.
	Changes(ctx context.Context, after int64, limit int) ([]Change, error)
}

// ChangePruner shortens the change log.
type ChangePruner interface {
	// PruneChanges deletes old entries of the change log. keep is the number of the newest
	// entries that are not deleted.
	PruneChanges(ctx context.Context, keep int64) error
}

// Verify finds a key by its digest. Errors: AUTH_INVALID_KEY with the reason unknown,
// revoked or expired; AUTH_UNAVAILABLE if the store fails.
func (s *Service) Verify(ctx context.Context, digest apikey.Digest) (Principal, error) {
	c, err := s.store.CredentialByMAC(ctx, s.computeMAC(digest))
	if errors.Is(err, access.ErrNoRow) {
		return Principal{}, invalidKeyError("unknown")
	}
	if err != nil {
		return Principal{}, unavailableError(err)
	}
	p := c.toPrincipal()
	if p.State != Active {
		return Principal{}, invalidKeyError(string(p.State))
	}
	if err := s.fillBudgets(ctx, &p); err != nil {
		return Principal{}, unavailableError(err)
	}
	return p, nil
}

// Head returns the latest version of the change log.
func (s *Service) Head(ctx context.Context) (int64, error) {
	head, err := s.store.Head(ctx)
	return head, access.WrapStore(err)
}

// StartVersion returns the version at which a watch starts. since is the last
// version that the watcher has seen; 0 means the latest version. Error:
// INVALID_REQUEST if the changes after since were pruned, or if since comes from a
// different store. The watcher must then discard its cache and start at 0.
func (s *Service) StartVersion(ctx context.Context, since int64) (int64, error) {
	head, err := s.Head(ctx)
	if err != nil || since == 0 {
		return head, err
	}
	if since < 0 || since > head {
		return 0, setting.InvalidParam("since_version", "the change log does not have this version; start at 0")
	}
	next, err := s.store.Changes(ctx, since, 1)
	if err != nil {
		return 0, access.WrapStore(err)
	}
	return since, checkNoGap(next, since)
}

// checkNoGap returns an error if the version of the first change is not after+1.
func checkNoGap(changes []Change, after int64) error {
	if len(changes) > 0 && changes[0].Version != after+1 {
		return setting.InvalidParam("since_version", "the change log no longer has the changes after this version; start at 0")
	}
	return nil
}

// Changes returns the next changes after a version, in order, at most 500. Error:
// INVALID_REQUEST if some of these changes were pruned. The watcher must then discard
// its cache and start over.
func (s *Service) Changes(ctx context.Context, after int64) ([]Change, error) {
	changes, err := s.store.Changes(ctx, after, maxChangePage)
	if err != nil {
		return nil, access.WrapStore(err)
	}
	if err := checkNoGap(changes, after); err != nil {
		return nil, err
	}
	for i := range changes {
		if err := s.fillPrincipal(ctx, &changes[i]); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// NextChange returns a channel that the next change through this Service closes.
// Changes by other processes do not close it.
func (s *Service) NextChange() <-chan struct{} { return s.changed.wait() }

func (s *Service) fillPrincipal(ctx context.Context, ch *Change) error {
	if ch.KeyID == "" {
		return nil
	}
	c, err := s.store.Credential(ctx, ch.AccountID, ch.KeyID)
	if errors.Is(err, access.ErrNoRow) {
		return nil
	}
	if err != nil {
		return access.WrapStore(err)
	}
	p := c.toPrincipal()
	if err := s.fillBudgets(ctx, &p); err != nil {
		return access.WrapStore(err)
	}
	// A playground key gets new secrets under the same id. Without a principal, the
	// watcher verifies the digest that it holds, which may be that of an old secret.
	if c.Key.PlaygroundUser == "" || p.State == Revoked {
		ch.Principal = &p
	}
	return nil
}

func (c Credential) toPrincipal() Principal {
	p := Principal{
		AccountID: c.Account.ID, KeyID: c.Key.ID, State: c.Key.State(access.Now()),
		Settings: c.Key.Settings, AccountLimits: c.Account.Limits,
		AllowExperiments: c.Account.AllowExperiments, Version: c.Version,
	}
	p.Settings.BaselineModel = cmp.Or(p.Settings.BaselineModel, c.Account.BaselineModel)
	p.Settings.Capture = cmp.Or(p.Settings.Capture, c.Account.Capture)
	return p
}

func unavailableError(cause error) error {
	return apperr.New(apperr.AuthUnavailable, "keys cannot be verified right now; try again later").WithCause(cause)
}

func invalidKeyError(reason string) error {
	return apperr.New(apperr.AuthInvalidKey, "the API key is not valid").With("reason", reason)
}
