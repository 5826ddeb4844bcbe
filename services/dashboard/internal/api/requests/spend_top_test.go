package requests

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// slowLedger fails for the groupings that it lists.
type slowLedger struct {
	readlimit.Ledger
	slow map[record.GroupBy]bool
}

func (l slowLedger) Spend(_ context.Context, _ record.Query, by record.GroupBy) (record.Impact, error) {
	if l.slow[by] {
		return record.Impact{}, apperr.New(apperr.StoreUnavailable, "the query took too long")
	}
	return record.Impact{Groups: []record.Group{{Value: string(by)}}}, nil
}

// TestTopListsSurviveSlowGroupings checks that the lists of users and agents may be
// missing, and that the lists of keys and models may not.
func TestTopListsSurviveSlowGroupings(t *testing.T) {
	read := func(slow ...record.GroupBy) (string, error) {
		l := slowLedger{slow: map[record.GroupBy]bool{}}
		for _, by := range slow {
			l.slow[by] = true
		}
		w := httptest.NewRecorder()
		api := &API{Ledger: l, Log: slog.New(slog.DiscardHandler)}
		err := api.apiGetTopSpend(w, httptest.NewRequest("GET", "/api/v1/spend/top", nil), &access.Viewer{Account: &keyauthv1.Account{Id: "acc"}})
		return w.Body.String(), err
	}
	body, err := read(record.GroupUser, record.GroupAgent)
	require.NoError(t, err)
	require.Contains(t, body, `"keys":[{"group":"key"`)
	require.Contains(t, body, `"users":null,"agents":null`)
	_, err = read(record.GroupKey)
	require.Equal(t, apperr.StoreUnavailable, apperr.CodeOf(err))
}
