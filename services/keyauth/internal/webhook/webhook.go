// Package webhook sends the notices of accounts with pkg/webhook. A Sender makes one attempt.
// Package notice decides when to retry.
package webhook

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/webhook"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
)

// Config holds the restrictions of a Sender.
type Config = webhook.Config

// Sender implements notice.Webhook.
type Sender struct{ sender *webhook.Sender }

// New returns a Sender, which opens a new connection for every attempt.
func New(c Config) *Sender { return &Sender{webhook.New(c)} }

// Send makes one attempt; see notice.Webhook.
func (s *Sender) Send(ctx context.Context, d notice.Delivery) (int, error) {
	return s.sender.Send(ctx, webhook.Delivery(d))
}

// Sign returns the value of the signature header.
func Sign(secret string, at time.Time, body string) string { return webhook.Sign(secret, at, body) }
