package requests

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/manifest"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/export"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// defaultImpactDays is the number of days that apiGetImpact covers by default.
const defaultImpactDays = 30

type sumsJSON struct {
	Requests int64 `json:"requests"`
	Routed   int64 `json:"routed_nano_usd"`
	Baseline int64 `json:"baseline_nano_usd"`
	Saved    int64 `json:"saved_nano_usd"`
	Unpriced int64 `json:"unpriced"`
}

func toSumsJSON(s record.Sums) sumsJSON {
	return sumsJSON{Requests: s.Requests, Routed: s.Routed, Baseline: s.Baseline, Saved: s.Saved, Unpriced: s.Unpriced}
}

type impactJSON struct {
	From    string  `json:"from"`
	To      *string `json:"to"`
	GroupBy *string `json:"group_by"`
	sumsJSON
	Groups      []groupJSON `json:"groups"`
	StepSeconds int64       `json:"step_seconds"`
	Series      []stepJSON  `json:"series"`
}

// groupJSON is one group of the breakdown. Group is null for records without a
// value. It is also null if Other is true: this group merges all smaller groups.
type groupJSON struct {
	Group *string `json:"group"`
	Name  *string `json:"name,omitempty"`
	Other bool    `json:"other,omitempty"`
	sumsJSON
}

// stepJSON is one step of the series. Time is its start.
type stepJSON struct {
	Time string `json:"time"`
	sumsJSON
}

func toGroupJSON(g record.Group) groupJSON {
	return groupJSON{Group: jsonvalue.NullIfZero(g.Value), Name: jsonvalue.NullIfZero(g.Name), Other: g.Other, sumsJSON: toSumsJSON(g.Sums)}
}

func toStepJSON(step record.StepSums) stepJSON {
	return stepJSON{Time: jsonvalue.FormatTime(step.Start), sumsJSON: toSumsJSON(step.Sums)}
}

func (s *API) apiGetImpact(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "group_by", "from", "to", "filter", "format")
	if err != nil {
		return err
	}
	format := p.Get("format")
	if format != "" && format != string(manifest.CSV) {
		return httpapi.InvalidParam("format", "format must be csv").With("allowed", []manifest.Format{manifest.CSV})
	}
	by := record.GroupBy(p.Get("group_by"))
	if !by.IsValid() {
		return httpapi.InvalidParam("group_by", fmt.Sprintf("group_by cannot be %q; use one of the allowed values", by)).With("allowed", record.Groupings())
	}
	impact, q, err := s.readImpact(r.Context(), v, p, by)
	if err != nil {
		return err
	}
	if format != "" {
		return export.WriteImpactCSV(w, impact, by)
	}
	response := impactJSON{
		From: jsonvalue.FormatTime(q.From), GroupBy: jsonvalue.NullIfZero(string(by)), sumsJSON: toSumsJSON(impact.Sums),
		Groups: jsonvalue.ConvertAll(impact.Groups, toGroupJSON), StepSeconds: int64(impact.Step / time.Second),
		Series: jsonvalue.ConvertAll(impact.Series, toStepJSON),
	}
	if !q.To.IsZero() {
		response.To = jsonvalue.NullIfZero(jsonvalue.FormatTime(q.To))
	}
	return httpapi.WriteJSON(w, http.StatusOK, response)
}

// readImpact sums up the account's records and returns the query that it used.
func (s *API) readImpact(ctx context.Context, v *access.Viewer, p url.Values, by record.GroupBy) (record.Impact, record.Query, error) {
	q, err := parseMonthQuery(p, v.Account.GetId())
	if err != nil {
		return record.Impact{}, q, err
	}
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	impact, err := s.Ledger.Impact(ctx, q, by)
	return impact, q, err
}
