package requests

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// spendJSON is the cost of requests over time, by group. The groups that cost most come
// first, and the first of them have their own costs. OtherCosts are the costs of all
// other groups together.
type spendJSON struct {
	From    string  `json:"from"`
	To      *string `json:"to"`
	GroupBy string  `json:"group_by"`
	sumsJSON
	StepSeconds int64            `json:"step_seconds"`
	Series      []stepJSON       `json:"series"`
	Groups      []spendGroupJSON `json:"groups"`
	OtherCosts  []stepCostJSON   `json:"other_costs"`
}

type spendGroupJSON struct {
	groupJSON
	// Costs is null if OtherCosts contains the costs of the group.
	Costs []stepCostJSON `json:"costs"`
}

// stepCostJSON is the cost in one step. Time is the start of the step.
type stepCostJSON struct {
	Time string `json:"time"`
	Cost int64  `json:"cost_nano_usd"`
}

func toStepCostJSON(s record.StepCost) stepCostJSON {
	return stepCostJSON{Time: jsonvalue.FormatTime(s.Start), Cost: s.NanoUSD}
}

func toSpendGroupJSON(g record.Group) spendGroupJSON {
	j := spendGroupJSON{groupJSON: toGroupJSON(g)}
	if g.Costs != nil {
		j.Costs = jsonvalue.ConvertAll(g.Costs, toStepCostJSON)
	}
	return j
}

func (s *API) apiGetSpend(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "group_by", "from", "to", "filter")
	if err != nil {
		return err
	}
	q, by, err := parseSpendQuery(p, v.Account.GetId())
	if err != nil {
		return err
	}
	spend, err := s.readSpend(r.Context(), q, by)
	return httpapi.WriteResult(w, http.StatusOK, toSpendJSON(spend, q, by), err)
}

// parseSpendQuery reads the query and the grouping of a report.
func parseSpendQuery(p url.Values, account string) (record.Query, record.GroupBy, error) {
	by := record.GroupBy(cmp.Or(p.Get("group_by"), string(record.GroupKey)))
	if !by.IsValid() || by == record.GroupDay {
		return record.Query{}, by, httpapi.InvalidParam("group_by", fmt.Sprintf("group_by cannot be %q; use one of the allowed values", by)).With("allowed", spendGroupings())
	}
	q, err := parseMonthQuery(p, account)
	return q, by, err
}

func toSpendJSON(spend record.Impact, q record.Query, by record.GroupBy) spendJSON {
	j := spendJSON{
		From: jsonvalue.FormatTime(q.From), GroupBy: string(by), sumsJSON: toSumsJSON(spend.Sums), StepSeconds: int64(spend.Step / time.Second),
		Series: jsonvalue.ConvertAll(spend.Series, toStepJSON), Groups: jsonvalue.ConvertAll(spend.Groups, toSpendGroupJSON),
		OtherCosts: jsonvalue.ConvertAll(spend.OtherCosts, toStepCostJSON),
	}
	if !q.To.IsZero() {
		j.To = jsonvalue.NullIfZero(jsonvalue.FormatTime(q.To))
	}
	return j
}

// spendGroupings returns the groupings of spend: all but the day, which is the axis.
func spendGroupings() (all []record.GroupBy) {
	for _, by := range record.Groupings() {
		if by != record.GroupDay {
			all = append(all, by)
		}
	}
	return all
}

// parseMonthQuery reads the filter and the time range. A missing start is
// defaultImpactDays before the end.
func parseMonthQuery(p url.Values, account string) (record.Query, error) {
	q, err := httpapi.ParseQuery(p, account)
	if err == nil && q.From.IsZero() {
		end := q.To
		if end.IsZero() {
			end = time.Now()
		}
		q.From = end.AddDate(0, 0, -defaultImpactDays)
	}
	return q, err
}

func (s *API) readSpend(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	return s.Ledger.Spend(ctx, q, by)
}
