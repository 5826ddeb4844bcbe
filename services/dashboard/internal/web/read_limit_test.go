package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// slow is a ledger that responds on demand.
type slow struct {
	readlimit.Ledger
	answer chan struct{}
}

func (s *slow) Impact(context.Context, record.Query, record.GroupBy) (record.Impact, error) {
	<-s.answer
	return record.Impact{}, nil
}

// TestReadLimitErrorSaysWhenToRetry checks that the error has the usual format
// and says when to retry.
func TestReadLimitErrorSaysWhenToRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := &slow{answer: make(chan struct{})}
		h := NewOperator(Deps{Ledger: ledger, Log: slog.New(slog.DiscardHandler)})
		answers := make(chan *httptest.ResponseRecorder, 3)
		for range 3 {
			go func() {
				r := httptest.NewRequest(http.MethodGet, "/api/v1/impact", nil)
				r.Header.Set(httpapi.AccountHeader, "greedy")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				answers <- w
			}()
			synctest.Wait()
		}
		refused := <-answers
		require.Equal(t, http.StatusTooManyRequests, refused.Code, refused.Body.String())
		require.Equal(t, "2", refused.Header().Get("Retry-After"))
		close(ledger.answer)
		for range 2 {
			require.Equal(t, http.StatusOK, (<-answers).Code)
		}
	})
}

// TestAlertValuesAreReadWithTheLimit checks that the page of alerts does not read around the limit.
func TestAlertValuesAreReadWithTheLimit(t *testing.T) {
	var given readlimit.Ledger
	newServer(Deps{Ledger: &slow{}, NewAlertSource: func(l readlimit.Ledger) alert.Source {
		given = l
		return nil
	}}).newAPI()
	require.IsType(t, &readlimit.Limiter{}, given)
}
