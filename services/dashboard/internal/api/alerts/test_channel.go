package alerts

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

const (
	// testTimeout bounds a test, and testInterval and testBurst how often an account may test.
	// Otherwise the button could flood the receiver.
	testTimeout  = 20 * time.Second
	testInterval = 10 * time.Second
	testBurst    = 5
	// maxTestBudgets bounds the memory. Budgets of accounts that did not test lately are
	// forgotten first.
	maxTestBudgets = 1000
)

type testBudget struct {
	*rate.Limiter
	used time.Time
}

// apiTestChannel sends a test message at once, also in quiet hours. A failed delivery is a
// result, not an error of this call.
func (s *API) apiTestChannel(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	c, err := s.findChannel(r, v)
	if err != nil {
		return err
	}
	if !s.mayTest(c.AccountID, time.Now()) {
		return apperr.New(apperr.RateLimitExceeded, "too many tests; try again in 10 seconds").WithRetryAfter(testInterval)
	}
	ctx, cancel := context.WithTimeout(r.Context(), testTimeout)
	defer cancel()
	failure := ""
	if err := s.Sender.Send(ctx, c, alert.NewTestMessage(uuid.NewString(), c.AccountID, c.Name, now(), s.origin())); err != nil {
		failure = err.Error()
	}
	err = s.Store.NoteAlertResult(r.Context(), c.AccountID, c.ID, failure, now())
	return httpapi.WriteResult(w, http.StatusOK, map[string]any{"error": jsonvalue.NullIfZero(failure)}, err)
}

func (s *API) mayTest(account string, at time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tests == nil {
		s.tests = map[string]*testBudget{}
	}
	b := s.tests[account]
	if b == nil {
		if len(s.tests) >= maxTestBudgets {
			s.forgetIdle(at)
		}
		b = &testBudget{Limiter: rate.NewLimiter(rate.Every(testInterval), testBurst)}
		s.tests[account] = b
	}
	b.used = at
	return b.AllowN(at, 1)
}

// forgetIdle removes the budgets that are full again.
func (s *API) forgetIdle(at time.Time) {
	for account, b := range s.tests {
		if at.Sub(b.used) > testBurst*testInterval {
			delete(s.tests, account)
		}
	}
}

func (s *API) origin() string {
	if s.PublicURL == nil {
		return ""
	}
	return s.PublicURL.String()
}
