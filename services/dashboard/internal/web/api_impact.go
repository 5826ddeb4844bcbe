package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/manifest"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// defaultImpactDays is the number of days that apiGetImpact covers by default.
const defaultImpactDays = 30

type sumsJSON struct {
	Requests        int64 `json:"requests"`
	RoutedNanoUSD   int64 `json:"routed_nano_usd"`
	BaselineNanoUSD int64 `json:"baseline_nano_usd"`
	SavedNanoUSD    int64 `json:"saved_nano_usd"`
	Unpriced        int64 `json:"unpriced"`
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

func toSumsJSON(s record.Sums) sumsJSON {
	return sumsJSON{
		Requests: s.Requests, RoutedNanoUSD: s.Routed, BaselineNanoUSD: s.Baseline,
		SavedNanoUSD: s.Saved, Unpriced: s.Unpriced,
	}
}

func (s *server) apiGetImpact(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := parseParams(r, "group_by", "from", "to", "filter", "format")
	if err != nil {
		return err
	}
	format := p.Get("format")
	if format != "" && format != string(manifest.CSV) {
		return invalidParam("format", "format must be csv").With("allowed", []manifest.Format{manifest.CSV})
	}
	by := record.GroupBy(p.Get("group_by"))
	if by != "" && !slices.Contains(record.Groupings(), by) {
		return invalidParam("group_by", fmt.Sprintf("group_by cannot be %q; use one of the allowed values", by)).With("allowed", record.Groupings())
	}
	impact, q, err := s.readImpact(r.Context(), v, p, by)
	if err != nil {
		return err
	}
	if format != "" {
		return writeImpactCSV(w, impact, by)
	}
	response := impactJSON{
		From: formatTime(q.From), GroupBy: nullIfZero(string(by)), sumsJSON: toSumsJSON(impact.Sums),
		Groups: []groupJSON{}, StepSeconds: int64(impact.Step / time.Second), Series: []stepJSON{},
	}
	if !q.To.IsZero() {
		response.To = nullIfZero(formatTime(q.To))
	}
	for _, g := range impact.Groups {
		response.Groups = append(response.Groups, groupJSON{
			Group: nullIfZero(g.Value), Name: nullIfZero(g.Name), Other: g.Other, sumsJSON: toSumsJSON(g.Sums),
		})
	}
	for _, step := range impact.Series {
		response.Series = append(response.Series, stepJSON{Time: formatTime(step.Start), sumsJSON: toSumsJSON(step.Sums)})
	}
	return writeJSON(w, http.StatusOK, response)
}

// readImpact sums up the account's records and returns the query that it used.
func (s *server) readImpact(ctx context.Context, v *viewer, p url.Values, by record.GroupBy) (record.Impact, record.Query, error) {
	q, err := parseQuery(p, v.account.GetId())
	if err != nil {
		return record.Impact{}, q, err
	}
	if q.From.IsZero() {
		end := q.To
		if end.IsZero() {
			end = time.Now()
		}
		q.From = end.AddDate(0, 0, -defaultImpactDays)
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	impact, err := s.Ledger.Impact(ctx, q, by)
	return impact, q, err
}
