package requests

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// accountGroupings are the groupings of another account's spend. The operator needs no
// names of its users, sessions and tags.
var accountGroupings = []record.GroupBy{record.GroupKey, record.GroupModel, record.GroupProvider}

// accountSpendJSON is the spend of another account.
type accountSpendJSON struct {
	Account accountNameJSON `json:"account"`
	spendJSON
}

type accountNameJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// apiGetAccountSpend returns the spend of any account to owners of the operator's
// account. It returns sums, and no requests.
func (s *API) apiGetAccountSpend(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "group_by", "from", "to")
	if err != nil {
		return err
	}
	by := cmp.Or(record.GroupBy(p.Get("group_by")), record.GroupKey)
	if !slices.Contains(accountGroupings, by) {
		return httpapi.InvalidParam("group_by", fmt.Sprintf("group_by cannot be %q; use one of the allowed values", by)).With("allowed", accountGroupings)
	}
	id, err := httpapi.ParsePathID(r, "account")
	if err != nil {
		return err
	}
	found, err := s.Accounts.GetAccount(r.Context(), &keyauthv1.GetAccountRequest{Actor: &keyauthv1.Actor{AccountId: id}})
	if err = httpapi.ToAccountsError(err); err != nil {
		return err
	}
	if found.GetAccount().GetId() != id {
		return httpapi.NotFoundError("account")
	}
	q, err := parseMonthQuery(p, id)
	if err != nil {
		return err
	}
	spend, err := s.readSpend(r.Context(), q, by)
	name := accountNameJSON{ID: id, Name: found.GetAccount().GetName()}
	return httpapi.WriteResult(w, http.StatusOK, accountSpendJSON{name, toSpendJSON(spend, q, by)}, err)
}
