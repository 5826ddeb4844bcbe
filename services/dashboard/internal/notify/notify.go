// Package notify sends the messages of alerts: to webhooks, to webhooks of services that
// understand Slack's format, and by e-mail. A Sender makes one attempt; package alert decides
// when to retry. Account owners choose the receivers, so webhooks are restricted like those of
// keyauth: no private addresses unless the operator allows them, no redirects, no response body.
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/netguard"
	"github.com/signalbox/signalbox/pkg/webhook"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
)

// Sender implements alert.Sender.
type Sender struct {
	webhooks *webhook.Sender
	private  bool
	mail     *Mailer
}

// New returns a Sender. mail is nil if no mail server is configured.
func New(c webhook.Config, mail *Mailer) *Sender {
	return &Sender{webhooks: webhook.New(c), private: c.AllowPrivate, mail: mail}
}

// CheckURL rejects URLs to which an account must not send.
func (s *Sender) CheckURL(address string) error { return netguard.CheckURL(address, s.private) }

// SendsMail reports whether a mail server is configured.
func (s *Sender) SendsMail() bool { return s.mail != nil }

// Send makes one attempt to deliver a message.
func (s *Sender) Send(ctx context.Context, c alert.Channel, m alert.Message) error {
	switch c.Kind {
	case alert.Email:
		if s.mail == nil {
			return errors.New("this installation has no mail server; the operator can set --smtp-url")
		}
		return s.mail.Send(ctx, c.Address, m)
	case alert.Slack:
		return s.post(ctx, c, m, slackBody(m))
	}
	return s.post(ctx, c, m, m)
}

func (s *Sender) post(ctx context.Context, c alert.Channel, m alert.Message, body any) error {
	// The operator may have forbidden private addresses after the channel was saved.
	if err := s.CheckURL(c.Address); err != nil {
		return errors.New("the address is not allowed any more")
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = s.webhooks.Send(ctx, webhook.Delivery{URL: c.Address, ID: m.ID, Secret: c.Secret, At: time.Now(), Body: string(text)})
	return err
}

// slackMessage is the format of Slack's incoming webhooks. Mattermost, Rocket.Chat, Discord
// (with the suffix /slack) and others understand it.
type slackMessage struct {
	Text string `json:"text"`
}

func slackBody(m alert.Message) slackMessage {
	lines := []string{"*" + escapeSlack(m.Title()) + "*", escapeSlack(m.Data.Text)}
	if m.Data.Link != "" {
		lines = append(lines, "<"+escapeSlack(m.Data.Link)+"|Open Signalbox> · <"+escapeSlack(m.Data.Runbook)+"|Runbook>")
	}
	return slackMessage{Text: strings.Join(lines, "\n")}
}

// escapeSlack prevents a name from becoming a mention or a link.
func escapeSlack(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
