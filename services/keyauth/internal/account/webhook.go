package account

import (
	"context"
	"errors"
	"net/url"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
)

// secretPrefix distinguishes signing secrets from keys and tokens.
const secretPrefix = "whsec_"

// WebhookSigned reports whether notices are signed.
func (a Account) WebhookSigned() bool { return len(a.WebhookSecret) > 0 }

// WithoutWebhookPath returns the account with only the scheme and host of its webhook
// URL. The path is often a secret, which only owners may see.
func (a Account) WithoutWebhookPath() Account {
	if u, err := url.Parse(a.WebhookURL); err == nil && a.WebhookURL != "" {
		a.WebhookURL = u.Scheme + "://" + u.Host + "/"
	}
	return a
}

// RotateWebhookSecret creates a new secret, which signs all notices from now on. The
// secret is returned only once. Requires the owner role.
func (s *Service) RotateWebhookSecret(ctx context.Context, actor Actor) (string, error) {
	secret := secretPrefix + newToken()
	err := s.write(ctx, func(tx Tx) error {
		a, err := authorize(ctx, tx, actor, Owner)
		if err != nil {
			return err
		}
		before := a
		a.WebhookSecret = s.sealer.Seal(a.ID, secret)
		if err := tx.SaveAccount(ctx, a); err != nil {
			return err
		}
		return recordEvent(ctx, tx, actor, "webhook.rotate_secret", a.ID, before.auditFields(), a.auditFields())
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

func (s *Service) sendNotice(ctx context.Context, a Account, n notice.Notice) (int, error) {
	if err := notice.CheckURL(a.WebhookURL, s.privateWebhooks); err != nil {
		return 0, errors.New(apperr.From(err).Message)
	}
	secret, err := s.sealer.Open(a.ID, a.WebhookSecret)
	if err != nil {
		return 0, err
	}
	return s.webhook.Send(ctx, notice.Delivery{URL: a.WebhookURL, ID: n.ID, Secret: secret, At: now(), Body: n.Body})
}
