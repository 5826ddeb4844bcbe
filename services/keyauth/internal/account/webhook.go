package account

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/netguard"
)

const (
	maxURLLength = 2000
	// secretPrefix distinguishes signing secrets from keys and tokens.
	secretPrefix = "whsec_"
)

// Delivery is one attempt to deliver a notice.
type Delivery struct {
	URL string
	// ID is the id of the notice, the same in every attempt.
	ID string
	// Secret is the signing key; empty means unsigned.
	Secret string
	At     time.Time
	Body   string
}

// Webhook delivers notices. Send returns the HTTP status, or 0 if there was no
// response. It returns an error unless the receiver accepted the notice. The account's
// owner reads the error, so the error must not reveal details of the internal network.
type Webhook interface {
	Send(ctx context.Context, d Delivery) (status int, err error)
}

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

// validateWebhook rejects URLs to which notices must not be sent. It does not resolve
// host names. Their addresses are checked when a connection is opened.
func (s *Service) validateWebhook(address string) error {
	invalid := invalidParamError("webhook_url", "the webhook must be an https URL without a user name, such as https://example.com/hook")
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURLLength || !isPrintableASCII(address) || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		return invalid
	}
	if s.privateWebhooks && u.Scheme == "http" {
		return nil
	}
	if u.Scheme != "https" {
		return invalid
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !s.privateWebhooks && !netguard.IsPublic(ip) {
		return invalidParamError("webhook_url", "the webhook must have a public address")
	}
	return nil
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
		a.WebhookSecret = s.seal(a.ID, secret)
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

func (s *Service) sendNotice(ctx context.Context, a Account, n Notice) (int, error) {
	if err := s.validateWebhook(a.WebhookURL); err != nil {
		return 0, errors.New(apperr.From(err).Message)
	}
	secret, err := s.unseal(a)
	if err != nil {
		return 0, err
	}
	return s.webhook.Send(ctx, Delivery{URL: a.WebhookURL, ID: n.ID, Secret: secret, At: now(), Body: n.Body})
}
