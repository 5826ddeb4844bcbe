package requests

import (
	"net/http"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// maxTopGroups is the number of groups in each list of apiGetTopSpend.
const maxTopGroups = 5

// topSpendJSON lists the groups that cost most. A list leaves out requests without a
// value, and is empty if no request has one.
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
		by record.GroupBy
		to *[]groupJSON
	}{{record.GroupKey, &out.Keys}, {record.GroupModel, &out.Models}, {record.GroupUser, &out.Users}, {record.GroupAgent, &out.Agents}} {
		spend, err := s.readSpend(r.Context(), q, list.by)
		if err != nil {
			return err
		}
		*list.to = topGroups(spend.Groups)
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
