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
	maxURL = 2000
	// secretPrefix tells a webhook's secret from keys and tokens.
	secretPrefix = "whsec_"
)

// Delivery is one notice on its way to a webhook.
type Delivery struct {
	URL string
	// ID is the notice's: the same in every try.
	ID string
	// Secret signs it; empty means unsigned.
	Secret string
	At     time.Time
	Body   string
}

// Webhook tells whoever listens. Send returns the status that came, 0 for none,
// and an error unless it says that the notice was taken. The error is for the
// account's owner to read: it names nothing of the network inside.
type Webhook interface {
	Send(ctx context.Context, d Delivery) (status int, err error)
}

// WebhookSigned reports whether notices are signed.
func (a Account) WebhookSigned() bool { return len(a.WebhookSecret) > 0 }

// Discreet is the account as people see it who do not manage it: the address of
// a webhook is often a secret by itself, so its host is all that is left.
func (a Account) Discreet() Account {
	if u, err := url.Parse(a.WebhookURL); err == nil && a.WebhookURL != "" {
		a.WebhookURL = u.Scheme + "://" + u.Host + "/"
	}
	return a
}

// checkWebhook refuses what may never be called. A name is judged when it is
// dialled, by what it stands for then.
func (s *Service) checkWebhook(address string) error {
	refusal := invalid("webhook_url", "a webhook is an https address without a user, such as https://example.com/hook")
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURL || !isPlain(address) || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		return refusal
	}
	if s.privateWebhooks && u.Scheme == "http" {
		return nil
	}
	if u.Scheme != "https" {
		return refusal
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !s.privateWebhooks && !netguard.Public(ip) {
		return invalid("webhook_url", "a webhook has a public address")
	}
	return nil
}

// RotateWebhookSecret makes the secret that notices are signed with from now
// on, and returns it, which nobody does again. Owners alone.
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
		return note(ctx, tx, actor, "webhook.rotate_secret", a.ID, before.members(), a.members())
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// send makes a try with the settings of this moment.
func (s *Service) send(ctx context.Context, a Account, n Notice) (int, error) {
	if err := s.checkWebhook(a.WebhookURL); err != nil {
		return 0, errors.New(apperr.From(err).Message)
	}
	secret, err := s.unseal(a)
	if err != nil {
		return 0, err
	}
	return s.webhook.Send(ctx, Delivery{URL: a.WebhookURL, ID: n.ID, Secret: secret, At: now(), Body: n.Body})
}
