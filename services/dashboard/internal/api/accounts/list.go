package accounts

import (
	"context"
	"net/http"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
)

// listedAccountJSON is an account with its spend.
type listedAccountJSON struct {
	accountJSON
	Spent spentJSON `json:"spent"`
}

// apiListAccounts lists all accounts of the installation. Their webhooks are redacted,
// because the paths may contain secrets of other companies.
func (s *API) apiListAccounts(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := httpapi.ParseLimit(p.Get("limit"))
	if err != nil {
		return err
	}
	resp, err := s.Accounts.ListAccounts(r.Context(), &keyauthv1.ListAccountsRequest{
		Actor: v.Actor(), After: jsonvalue.ValidText(p.Get("cursor")), Limit: int32(limit),
	})
	if err = httpapi.ToAccountsError(err); err != nil {
		return err
	}
	items, err := s.addSpend(r.Context(), resp.GetAccounts())
	return httpapi.WriteResult(w, http.StatusOK, map[string]any{"items": items, "next_cursor": jsonvalue.NullIfZero(resp.GetNext())}, err)
}

func (s *API) addSpend(ctx context.Context, accounts []*keyauthv1.Account) ([]listedAccountJSON, error) {
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	now := time.Now()
	items := make([]listedAccountJSON, 0, len(accounts))
	for _, a := range accounts {
		spend, err := s.Spend.AccountSpend(ctx, a.GetId(), now)
		if err != nil {
			return nil, err
		}
		used := (&accountUsage{at: now, spending: spend}).accountJSON()
		items = append(items, listedAccountJSON{toAccountJSON(a).redactWebhook(), used.Spent})
	}
	return items, nil
}
