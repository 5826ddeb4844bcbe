package accounts

import (
	"context"
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// usageJSON holds the limits of an account or a key, and its usage.
type usageJSON struct {
	Limits allLimitsJSON `json:"limits"`
	usedJSON
}

// usedJSON is the part of the usage that comes from the ledger.
type usedJSON struct {
	Spent spentJSON `json:"spent"`
	// Refusals lists the newest requests that a limit rejected.
	Refusals []refusalJSON `json:"refusals"`
}

// spentJSON is the spend of the current UTC day and month.
type spentJSON struct {
	Day   amountJSON `json:"day"`
	Month amountJSON `json:"month"`
}

type amountJSON struct {
	NanoUSD  int64  `json:"nano_usd"`
	ResetsAt string `json:"resets_at"`
}

// refusalJSON is a request that a limit rejected. Name is the name of the limit.
// Scope is key or account: where the limit is set. Both are null if unknown.
type refusalJSON struct {
	Time      string  `json:"time"`
	Code      string  `json:"code"`
	Name      *string `json:"name"`
	Scope     *string `json:"scope"`
	Error     string  `json:"error"`
	KeyID     string  `json:"key_id"`
	RequestID string  `json:"request_id"`
}

type keyUsageJSON struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Prefix string  `json:"prefix"`
	State  *string `json:"state"`
	usageJSON
}

func (s *API) apiGetLimits(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "key")
	if err != nil {
		return err
	}
	account, err := s.Accounts.GetAccount(r.Context(), &keyauthv1.GetAccountRequest{Actor: v.Actor()})
	if err = httpapi.ToAccountsError(err); err != nil {
		return err
	}
	keys, err := s.listKeysOrOne(r.Context(), v, p.Get("key"))
	if err != nil {
		return err
	}
	used, err := s.readUsage(r.Context(), v.Account.GetId(), p.Get("key"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{
		"account": usageJSON{toLimitsJSON(account.GetAccount().GetLimits()), used.accountJSON()},
		"keys": jsonvalue.ConvertAll(keys, func(k *keyauthv1.Key) keyUsageJSON {
			set := k.GetSettings()
			return keyUsageJSON{k.GetId(), set.GetName(), k.GetPrefix(), jsonvalue.KeyStates.ToName(k.GetState()), usageJSON{toLimitsJSON(set.GetLimits()), used.keyJSON(k.GetId())}}
		}),
	})
}

func (s *API) listKeysOrOne(ctx context.Context, v *access.Viewer, id string) ([]*keyauthv1.Key, error) {
	all, err := s.listKeys(ctx, v)
	if err != nil || id == "" {
		return all, err
	}
	for _, k := range all {
		if k.GetId() == id {
			return []*keyauthv1.Key{k}, nil
		}
	}
	return nil, httpapi.NotFoundError("key")
}

// apiGetSpend returns the spend and the rejected requests of the account and of
// each key. It is for the operator's command line, which reads the limits from
// keyauth.
func (s *API) apiGetSpend(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	q, err := httpapi.ParseQuery(nil, v.Account.GetId())
	if err != nil {
		return err
	}
	used, err := s.readUsage(r.Context(), q.Account, "")
	if err != nil {
		return err
	}
	keys := map[string]usedJSON{}
	for id := range used.spending.Keys {
		keys[id] = used.keyJSON(id)
	}
	for id := range used.keyRefusals {
		keys[id] = used.keyJSON(id)
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"account": used.accountJSON(), "keys": keys})
}
