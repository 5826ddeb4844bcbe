package account

import (
	"context"
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// testsAtOnce bounds the webhooks that wait to be tested.
const testsAtOnce = 8

// TestWebhook sends a notice now and returns the status that came, 0 for none,
// and what went wrong, empty for nothing. Owners alone. Errors: INVALID_REQUEST
// when there is no webhook, TOO_MANY_ATTEMPTS while this one, or many, are tested.
func (s *Service) TestWebhook(ctx context.Context, actor Actor) (status int, problem string, err error) {
	a, err := authorize(ctx, s.store, actor, Owner)
	if err != nil {
		return 0, "", err
	}
	if a.WebhookURL == "" || s.webhook == nil {
		return 0, "", invalid("webhook_url", "there is no webhook to test")
	}
	if !s.tests.begin(a.ID) {
		return 0, "", apperr.New(apperr.TooManyAttempts, "webhooks are being tested").After(noticeEvery)
	}
	defer s.tests.end(a.ID)
	n, err := newNotice(a.ID, "webhook.test", members{})
	if err != nil {
		return 0, "", err
	}
	status, failure := s.send(ctx, a, n)
	if failure != nil {
		problem = failure.Error()
	}
	err = s.write(ctx, func(tx Tx) error {
		return note(ctx, tx, actor, "webhook.test", a.ID, nil, members{"status": status, "error": problem})
	})
	return status, problem, err
}

// tests are the accounts whose webhooks are being tested: each once, so that one
// that hangs keeps no others from it.
type tests struct {
	mu sync.Mutex
	of map[string]bool
}

func (t *tests) begin(accountID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[accountID] || len(t.of) >= testsAtOnce {
		return false
	}
	t.of[accountID] = true
	return true
}

func (t *tests) end(accountID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, accountID)
}
