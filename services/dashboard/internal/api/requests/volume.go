package requests

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// volumeJSON is the number of requests or tokens over time, by group. The largest groups come
// first, and the first of them have their own values over time. OtherValues are those of all
// other groups together.
type volumeJSON struct {
	From    string  `json:"from"`
	To      *string `json:"to"`
	GroupBy string  `json:"group_by"`
	Measure string  `json:"measure"`
	volumeSumsJSON
	StepSeconds int64             `json:"step_seconds"`
	Groups      []volumeGroupJSON `json:"groups"`
	OtherValues []stepValueJSON   `json:"other_values"`
}

// volumeSumsJSON are the sums of a report. The tokens are null in a report of requests.
type volumeSumsJSON struct {
	Requests     int64  `json:"requests"`
	InputTokens  *int64 `json:"input_tokens"`
	OutputTokens *int64 `json:"output_tokens"`
}

type volumeGroupJSON struct {
	Group *string `json:"group"`
	Name  *string `json:"name,omitempty"`
	Other bool    `json:"other,omitempty"`
	volumeSumsJSON
	// Values is null if OtherValues contains the values of the group.
	Values []stepValueJSON `json:"values"`
}

// stepValueJSON is the number of requests or tokens in one step. Time is its start.
type stepValueJSON struct {
	Time  string `json:"time"`
	Value int64  `json:"value"`
}

func toStepValueJSON(s record.StepCost) stepValueJSON {
	return stepValueJSON{Time: jsonvalue.FormatTime(s.Start), Value: s.NanoUSD}
}

// toVolumeSumsJSON converts the sums of a report.
func toVolumeSumsJSON(s record.Sums, m record.Measure) volumeSumsJSON {
	j := volumeSumsJSON{Requests: s.Requests}
	if m == record.MeasureTokens {
		j.InputTokens, j.OutputTokens = &s.InputTokens, &s.OutputTokens
	}
	return j
}

func (s *API) apiGetVolume(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "measure", "group_by", "from", "to", "filter")
	if err != nil {
		return err
	}
	m := cmp.Or(record.Measure(p.Get("measure")), record.MeasureRequests)
	if m != record.MeasureRequests && m != record.MeasureTokens {
		return httpapi.InvalidParam("measure", fmt.Sprintf("measure cannot be %q; use requests or tokens", m)).With("allowed", []record.Measure{record.MeasureRequests, record.MeasureTokens})
	}
	q, by, err := parseSpendQuery(p, v.Account.GetId())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	volume, err := s.Ledger.Volume(ctx, q, by, m)
	return httpapi.WriteResult(w, http.StatusOK, toVolumeJSON(volume, q, by, m), err)
}

func toVolumeJSON(volume record.Impact, q record.Query, by record.GroupBy, m record.Measure) volumeJSON {
	j := volumeJSON{
		From: jsonvalue.FormatTime(q.From), GroupBy: string(by), Measure: string(m), volumeSumsJSON: toVolumeSumsJSON(volume.Sums, m),
		StepSeconds: int64(volume.Step / time.Second), OtherValues: jsonvalue.ConvertAll(volume.OtherCosts, toStepValueJSON),
		Groups: jsonvalue.ConvertAll(volume.Groups, func(g record.Group) volumeGroupJSON {
			one := volumeGroupJSON{Group: jsonvalue.NullIfZero(g.Value), Name: jsonvalue.NullIfZero(g.Name), Other: g.Other, volumeSumsJSON: toVolumeSumsJSON(g.Sums, m)}
			if g.Costs != nil {
				one.Values = jsonvalue.ConvertAll(g.Costs, toStepValueJSON)
			}
			return one
		}),
	}
	if !q.To.IsZero() {
		j.To = jsonvalue.NullIfZero(jsonvalue.FormatTime(q.To))
	}
	return j
}
