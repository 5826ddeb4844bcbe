package account

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const testRetryAfter = time.Second

// TestWebhook sends a test notice. status is the HTTP status, or 0 if there was no
// response. problem describes why the test failed; it is empty on success. Requires the
// owner role. Errors: INVALID_REQUEST if there is no webhook; TOO_MANY_ATTEMPTS if a
// test of this account is running, or too many tests of other accounts.
func (s *Service) TestWebhook(ctx context.Context, actor access.Actor) (status int, problem string, err error) {
	a, err := access.Authorize(ctx, s.store, actor, access.Owner)
	if err != nil {
		return 0, "", err
	}
	if a.WebhookURL == "" || s.webhook == nil {
		return 0, "", setting.InvalidParam("webhook_url", "the account has no webhook to test")
	}
	if !s.tests.Begin(a.ID) {
		return 0, "", apperr.New(apperr.TooManyAttempts, "a webhook test is already running; try again in a moment").WithRetryAfter(testRetryAfter)
	}
	defer s.tests.End(a.ID)
	n, err := notice.New(access.NewID(), a.ID, "webhook.test", access.Now(), audit.Fields{})
	if err != nil {
		return 0, "", err
	}
	status, failure := s.sendNotice(ctx, a, n)
	if failure != nil {
		problem = failure.Error()
	}
	err = s.write(ctx, func(tx Tx) error {
		return access.RecordEvent(ctx, tx, actor, "webhook.test", a.ID, nil, audit.Fields{"status": status, "error": problem})
	})
	return status, problem, err
}
