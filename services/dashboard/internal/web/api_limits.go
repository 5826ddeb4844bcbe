package web

import (
	"context"
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// usageJSON is what an account or a key may use, and what it has used.
type usageJSON struct {
	Limits allLimitsJSON `json:"limits"`
	usedJSON
}

// usedJSON is the part of it that is in the ledger.
type usedJSON struct {
	Spent spentJSON `json:"spent"`
	// Refusals are the newest that a limit of ours brought about.
	Refusals []refusalJSON `json:"refusals"`
}

// spentJSON is of the UTC day and of the month.
type spentJSON struct {
	Day   amountJSON `json:"day"`
	Month amountJSON `json:"month"`
}

type amountJSON struct {
	NanoUSD  int64  `json:"nano_usd"`
	ResetsAt string `json:"resets_at"`
}

// refusalJSON is a request that was refused. Name and Scope are which limit it
// was, and whether the key's or the account's; null when that is not known.
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

func (s *server) apiLimits(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "key")
	if err != nil {
		return err
	}
	account, err := s.Accounts.GetAccount(r.Context(), &keyauthv1.GetAccountRequest{Actor: v.actor()})
	if err = peer(err); err != nil {
		return err
	}
	keys, err := s.oneOrAll(r.Context(), v, p.Get("key"))
	if err != nil {
		return err
	}
	used, err := s.used(r.Context(), v.account.GetId(), p.Get("key"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{
		"account": usageJSON{toLimitsJSON(account.GetAccount().GetLimits()), used.all()},
		"keys": each(keys, func(k *keyauthv1.Key) keyUsageJSON {
			set := k.GetSettings()
			return keyUsageJSON{k.GetId(), set.GetName(), k.GetPrefix(), keyStates.word(k.GetState()), usageJSON{toLimitsJSON(set.GetLimits()), used.of(k.GetId())}}
		}),
	})
}

// oneOrAll is the keys of the account, or the one of an id.
func (s *server) oneOrAll(ctx context.Context, v *viewer, id string) ([]*keyauthv1.Key, error) {
	all, err := s.listKeys(ctx, v)
	if err != nil || id == "" {
		return all, err
	}
	for _, k := range all {
		if k.GetId() == id {
			return []*keyauthv1.Key{k}, nil
		}
	}
	return nil, notFound("key")
}

// apiSpent is the ledger's part of apiLimits, by key. It is for the operator's
// command line, which asks keyauth itself for the other.
func (s *server) apiSpent(w http.ResponseWriter, r *http.Request, v *viewer) error {
	q, err := query(nil, v.account.GetId())
	if err != nil {
		return err
	}
	used, err := s.used(r.Context(), q.Account, "")
	if err != nil {
		return err
	}
	keys := map[string]usedJSON{}
	for id := range used.spending.Keys {
		keys[id] = used.of(id)
	}
	for id := range used.refused {
		keys[id] = used.of(id)
	}
	return writeJSON(w, http.StatusOK, map[string]any{"account": used.all(), "keys": keys})
}
