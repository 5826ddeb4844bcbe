package keyring

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// Verify finds a key by its digest. Errors: AUTH_INVALID_KEY with the reason unknown,
// revoked or expired; AUTH_UNAVAILABLE if the store fails.
func (s *Service) Verify(ctx context.Context, digest apikey.Digest) (Principal, error) {
	c, err := s.Store.CredentialByMAC(ctx, s.computeMAC(digest))
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
	head, err := s.Store.Head(ctx)
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
	next, err := s.Store.Changes(ctx, since, 1)
	if err != nil {
		return 0, access.WrapStore(err)
	}
	return since, checkNoGap(next, since)
}

// Changes returns the next changes after a version, in order, at most 500. Error:
// INVALID_REQUEST if some of these changes were pruned. The watcher must then discard
// its cache and start over.
func (s *Service) Changes(ctx context.Context, after int64) ([]Change, error) {
	changes, err := s.Store.Changes(ctx, after, maxChangePage)
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

func (s *Service) fillPrincipal(ctx context.Context, ch *Change) error {
	if ch.KeyID == "" {
		return nil
	}
	c, err := s.Store.Credential(ctx, ch.AccountID, ch.KeyID)
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

// fillBudgets adds the group budgets that can apply to requests with the key. They may be newer
// than the version of the principal: the change log then makes proxies verify the key again.
func (s *Service) fillBudgets(ctx context.Context, p *Principal) error {
	list, err := s.Store.Budgets(ctx, p.AccountID)
	for i := range list {
		if list[i].AppliesTo(&p.Settings) {
			p.Budgets = append(p.Budgets, list[i])
		}
	}
	return err
}
