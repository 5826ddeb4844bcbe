package keyring

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const (
	// playgroundPeriod is how long the same secret is issued. A secret expires one period
	// after that, so that a request can finish with the secret that it started with.
	playgroundPeriod = 30 * time.Minute
	// playgroundTag lets policy rules recognise requests of the playground.
	playgroundTag = "playground"
	// derivedBytes is enough for a key, although about 3 % of random bytes are not used.
	derivedBytes = 128
)

// Playground is the credential of a user's playground requests.
type Playground struct {
	KeyID  string
	Secret string
	// RefreshAt is when the next secret is issued.
	RefreshAt time.Time
}

func playgroundExpiry(period time.Time) time.Time { return period.Add(2 * playgroundPeriod) }

func playgroundName(email string) string {
	name := []rune("Playground: " + email)
	return string(name[:min(len(name), setting.MaxNameLength)])
}

// IssuePlayground returns the key with which the dashboard sends the actor's playground
// requests. The secret is derived from the pepper, the key's random id and the time, so that
// every dashboard receives the same one and none is stored. Requires the member role.
func (s *Service) IssuePlayground(ctx context.Context, actor access.Actor) (Playground, error) {
	if actor.UserID == "" {
		return Playground{}, apperr.New(apperr.AuthForbidden, "the playground needs a signed-in user")
	}
	if _, err := access.Authorize(ctx, s.Store, actor, access.Member); err != nil {
		return Playground{}, err
	}
	period := access.Now().Truncate(playgroundPeriod)
	k, err := s.Store.PlaygroundKey(ctx, actor.AccountID, actor.UserID)
	if errors.Is(err, access.ErrNoRow) || err == nil && !k.Settings.ExpiresAt.Equal(playgroundExpiry(period)) {
		k, err = s.renewPlayground(ctx, actor, period)
	}
	if err != nil {
		return Playground{}, access.WrapStore(err)
	}
	secret, err := s.derivePlaygroundSecret(k.ID, period)
	return Playground{KeyID: k.ID, Secret: secret, RefreshAt: period.Add(playgroundPeriod)}, err
}

// renewPlayground creates the key of the user, or gives it the secret of the period.
func (s *Service) renewPlayground(ctx context.Context, actor access.Actor, period time.Time) (Key, error) {
	var k Key
	err := s.Write(ctx, func(tx Tx) error {
		if _, err := access.Authorize(ctx, tx, actor, access.Member); err != nil {
			return err
		}
		u, err := access.FindUser(ctx, tx, actor)
		if err != nil {
			return err
		}
		k, err = tx.PlaygroundKey(ctx, actor.AccountID, actor.UserID)
		if errors.Is(err, access.ErrNoRow) {
			k = Key{ID: access.NewID(), AccountID: actor.AccountID, PlaygroundUser: actor.UserID, CreatedAt: access.Now()}
		} else if err != nil {
			return err
		}
		secret, err := s.derivePlaygroundSecret(k.ID, period)
		if err != nil {
			return err
		}
		k.MAC, k.Prefix = s.computeMAC(apikey.DigestOf(secret)), apikey.DisplayPrefix(secret)
		k.Settings = setting.Key{Name: playgroundName(u.Email), Tags: []string{playgroundTag}, ExpiresAt: playgroundExpiry(period)}
		return tx.SaveKey(ctx, k)
	})
	return k, err
}

func (s *Service) derivePlaygroundSecret(keyID string, period time.Time) (string, error) {
	random, err := hkdf.Key(sha256.New, s.Pepper, []byte(keyID), "playground key "+strconv.FormatInt(period.Unix(), 10), derivedBytes)
	if err != nil {
		return "", err
	}
	return apikey.FromRandom(random)
}

// RevokePlayground runs before a user is removed. Otherwise the key would stay valid
// until it expires.
func RevokePlayground(ctx context.Context, tx Writer, u access.User) error {
	k, err := tx.PlaygroundKey(ctx, u.AccountID, u.ID)
	if errors.Is(err, access.ErrNoRow) {
		return nil
	}
	if err != nil {
		return err
	}
	k.RevokedAt = access.Now()
	return tx.SaveKey(ctx, k)
}
