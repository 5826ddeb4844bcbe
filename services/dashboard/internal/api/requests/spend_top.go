package requests

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// maxTopGroups is the number of groups in each list of apiGetTopSpend.
const maxTopGroups = 5

// topSpendJSON lists the groups that cost most. A list leaves out requests without a
// value, and is empty if no request has one. Users and Agents are null if the range has
// too many requests: the ledger has sums by user and agent of whole days only, so it reads
// every request of a shorter range.
type topSpendJSON struct {
	From   string      `json:"from"`
	To     string      `json:"to"`
	Keys   []groupJSON `json:"keys"`
	Models []groupJSON `json:"models"`
	Users  []groupJSON `json:"users"`
	Agents []groupJSON `json:"agents"`
}

func (s *API) apiGetTopSpend(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	q, err := parseRangeQuery(r, v)
	if err != nil {
		return err
	}
	out := topSpendJSON{From: jsonvalue.FormatTime(q.From), To: jsonvalue.FormatTime(q.To)}
	for _, list := range []struct {
		by       record.GroupBy
		to       *[]groupJSON
		optional bool
	}{{record.GroupKey, &out.Keys, false}, {record.GroupModel, &out.Models, false}, {record.GroupUser, &out.Users, true}, {record.GroupAgent, &out.Agents, true}} {
		spend, err := s.readSpend(r.Context(), q, list.by)
		switch {
		case err == nil:
			*list.to = topGroups(spend.Groups)
		case list.optional && apperr.Is(err, apperr.StoreUnavailable):
			httpapi.LogFailure(s.Log, r, err)
		default:
			return err
		}
	}
	return httpapi.WriteJSON(w, http.StatusOK, out)
}

func topGroups(groups []record.Group) []groupJSON {
	top := []groupJSON{}
	for _, g := range groups {
		if g.Value != "" && !g.Other && len(top) < maxTopGroups {
			top = append(top, toGroupJSON(g))
		}
	}
	return top
}
