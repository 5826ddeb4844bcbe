package account

import (
	"context"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const (
	maxConcurrentTests = 8
	testRetryAfter     = time.Second
)

// TestWebhook sends a test notice. status is the HTTP status, or 0 if there was no
// response. problem describes why the test failed; it is empty on success. Requires the
// owner role. Errors: INVALID_REQUEST if there is no webhook; TOO_MANY_ATTEMPTS if a
// test of this account is running, or too many tests of other accounts.
func (s *Service) TestWebhook(ctx context.Context, actor Actor) (status int, problem string, err error) {
	a, err := authorize(ctx, s.store, actor, Owner)
	if err != nil {
		return 0, "", err
	}
	if a.WebhookURL == "" || s.webhook == nil {
		return 0, "", setting.InvalidParam("webhook_url", "the account has no webhook to test")
	}
	if !s.tests.begin(a.ID) {
		return 0, "", apperr.New(apperr.TooManyAttempts, "a webhook test is already running; try again in a moment").WithRetryAfter(testRetryAfter)
	}
	defer s.tests.end(a.ID)
	n, err := notice.New(newID(), a.ID, "webhook.test", now(), audit.Fields{})
	if err != nil {
		return 0, "", err
	}
	status, failure := s.sendNotice(ctx, a, n)
	if failure != nil {
		problem = failure.Error()
	}
	err = s.write(ctx, func(tx Tx) error {
		return recordEvent(ctx, tx, actor, "webhook.test", a.ID, nil, audit.Fields{"status": status, "error": problem})
	})
	return status, problem, err
}

// webhookTests holds the accounts with a running test. Each account may run one test at
// a time. Otherwise one account with a slow webhook could block the tests of others.
type webhookTests struct {
	mu      sync.Mutex
	running map[string]bool
}

func (t *webhookTests) begin(accountID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[accountID] || len(t.running) >= maxConcurrentTests {
		return false
	}
	t.running[accountID] = true
	return true
}

func (t *webhookTests) end(accountID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, accountID)
}
