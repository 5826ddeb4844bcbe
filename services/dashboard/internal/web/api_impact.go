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

// impactDays is how far back an impact looks unless it is told.
const impactDays = 30

type sumsJSON struct {
	Requests        int64 `json:"requests"`
	RoutedNanoUSD   int64 `json:"routed_nano_usd"`
	BaselineNanoUSD int64 `json:"baseline_nano_usd"`
	KeptNanoUSD     int64 `json:"kept_nano_usd"`
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

// groupJSON is one line of the breakdown. Group is null for records that have
// no such thing, and for the line of all smaller groups, which is marked.
type groupJSON struct {
	Group *string `json:"group"`
	Name  *string `json:"name,omitempty"`
	Other bool    `json:"other,omitempty"`
	sumsJSON
}

// stepJSON is one step of the series, from its time on.
type stepJSON struct {
	Time string `json:"time"`
	sumsJSON
}

func toSumsJSON(s record.Sums) sumsJSON {
	return sumsJSON{
		Requests: s.Requests, RoutedNanoUSD: s.Routed, BaselineNanoUSD: s.Baseline,
		KeptNanoUSD: s.Kept, Unpriced: s.Unpriced,
	}
}

func (s *server) apiImpact(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "group_by", "from", "to", "filter", "format")
	if err != nil {
		return err
	}
	format := p.Get("format")
	if format != "" && format != string(manifest.CSV) {
		return badParam("format", "format must be csv").With("allowed", []manifest.Format{manifest.CSV})
	}
	by := record.GroupBy(p.Get("group_by"))
	if by != "" && !slices.Contains(record.Groupings(), by) {
		return badParam("group_by", fmt.Sprintf("group_by cannot be %q", by)).With("allowed", record.Groupings())
	}
	impact, q, err := s.impact(r.Context(), v, p, by)
	if err != nil {
		return err
	}
	if format != "" {
		return writeImpactCSV(w, impact, by)
	}
	answer := impactJSON{
		From: timeText(q.From), GroupBy: orNull(string(by)), sumsJSON: toSumsJSON(impact.Sums),
		Groups: []groupJSON{}, StepSeconds: int64(impact.Step / time.Second), Series: []stepJSON{},
	}
	if !q.To.IsZero() {
		answer.To = orNull(timeText(q.To))
	}
	for _, g := range impact.Groups {
		answer.Groups = append(answer.Groups, groupJSON{
			Group: orNull(g.Value), Name: orNull(g.Name), Other: g.Other, sumsJSON: toSumsJSON(g.Sums),
		})
	}
	for _, step := range impact.Series {
		answer.Series = append(answer.Series, stepJSON{Time: timeText(step.Start), sumsJSON: toSumsJSON(step.Sums)})
	}
	return writeJSON(w, http.StatusOK, answer)
}

// impact adds up the viewer's records, and tells which these are.
func (s *server) impact(ctx context.Context, v *viewer, p url.Values, by record.GroupBy) (record.Impact, record.Query, error) {
	q, err := query(p, v.account.GetId())
	if err != nil {
		return record.Impact{}, q, err
	}
	if q.From.IsZero() {
		end := q.To
		if end.IsZero() {
			end = time.Now()
		}
		q.From = end.AddDate(0, 0, -impactDays)
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	impact, err := s.Ledger.Impact(ctx, q, by)
	return impact, q, err
}
