package account

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
)

// secretPrefix distinguishes signing secrets from keys and tokens.
const secretPrefix = "whsec_"

// RotateWebhookSecret creates a new secret, which signs all notices from now on. The
// secret is returned only once. Requires the owner role.
func (s *Service) RotateWebhookSecret(ctx context.Context, actor access.Actor) (string, error) {
	secret := secretPrefix + access.NewToken()
	err := s.write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Owner)
		if err != nil {
			return err
		}
		before := a
		a.WebhookSecret = s.sealer.Seal(a.ID, secret)
		if err := tx.SaveAccount(ctx, a); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, actor, "webhook.rotate_secret", a.ID, before.AuditFields(), a.AuditFields())
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

func (s *Service) sendNotice(ctx context.Context, a access.Account, n notice.Notice) (int, error) {
	if err := notice.CheckURL(a.WebhookURL, s.privateWebhooks); err != nil {
		return 0, errors.New(apperr.From(err).Message)
	}
	secret, err := s.sealer.Open(a.ID, a.WebhookSecret)
	if err != nil {
		return 0, err
	}
	return s.webhook.Send(ctx, notice.Delivery{URL: a.WebhookURL, ID: n.ID, Secret: secret, At: access.Now(), Body: n.Body})
}
