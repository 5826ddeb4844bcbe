package connect

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// maxHostLength leaves room for the other parts of a key's name, which has at most 100 characters.
const maxHostLength = 60

// newKeyName returns a name that no other key has, so that the key can be found by it.
func newKeyName(client string) string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown host"
	}
	return fmt.Sprintf("%s on %s (%s)", client, host[:min(len(host), maxHostLength)], strings.ToLower(rand.Text()[:6]))
}

// provideKey sets the key of the record: the given one, or else a new one.
func (s *setup) provideKey(ctx context.Context, r *record, given string) error {
	switch {
	case given == edit.NewKey:
		return s.createKey(ctx, r)
	case r.Key.Secret == given:
		return nil
	case r.Key.Name != "":
		// An earlier run ended after it had created a key.
		if err := s.revokeKey(ctx, r.Key); err != nil {
			return err
		}
	}
	r.Key = keyRecord{Secret: given}
	return nil
}

// createKey creates a key and records it. The name is recorded first: if the process ends
// before the ID is recorded, the next run revokes the key of that name.
func (s *setup) createKey(ctx context.Context, r *record) error {
	return s.WithAccounts(ctx, func() error {
		account, err := s.SelectedAccount(ctx)
		if err != nil {
			return err
		}
		if err := s.revokeRecordedKey(ctx, r.Key); err != nil {
			return err
		}
		r.Key = keyRecord{Name: newKeyName(s.client.Name), AccountID: account.GetId(), Location: s.Location()}
		if err := s.saveRecord(r); err != nil {
			return err
		}
		made, err := s.Accounts.CreateKey(ctx, &keyauthv1.CreateKeyRequest{
			Actor: remote.ActorFor(account), Settings: &keyauthv1.KeySettings{Name: r.Key.Name},
		})
		if err != nil {
			return err
		}
		s.reached("create the key")
		r.Key.ID, r.Key.Secret = made.GetKey().GetId(), made.GetSecret()
		return nil
	})
}

// revokeKey revokes the key that connect created.
func (s *setup) revokeKey(ctx context.Context, k keyRecord) error {
	s.UseLocation(k.Location)
	return s.WithAccounts(ctx, func() error { return s.revokeRecordedKey(ctx, k) })
}

// revokeRecordedKey revokes the key with the recorded name. A key that does not exist, or is
// revoked already, is no error.
func (s *setup) revokeRecordedKey(ctx context.Context, k keyRecord) error {
	if k.Name == "" {
		return nil
	}
	actor := &keyauthv1.Actor{AccountId: k.AccountID}
	list, err := s.Accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: actor})
	if err != nil {
		return err
	}
	for _, key := range list.GetKeys() {
		if key.GetId() == k.ID || k.ID == "" && key.GetSettings().GetName() == k.Name {
			if _, err := s.Accounts.RevokeKey(ctx, &keyauthv1.RevokeKeyRequest{Actor: actor, KeyId: key.GetId()}); err != nil {
				return err
			}
			s.reached("revoke the key")
		}
	}
	return nil
}

func (s *setup) reached(step string) {
	if s.files.Checkpoint != nil {
		s.files.Checkpoint(step)
	}
}
