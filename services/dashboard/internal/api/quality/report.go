package quality

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

// defaultDays is the number of days that the report covers by default, today included.
const defaultDays = 30

type reportJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Confidence is the probability that all intervals contain their true values.
	Confidence float64 `json:"confidence"`
	// TargetWidth is the width of an interval at which no more data is needed.
	TargetWidth float64   `json:"target_width"`
	Items       []rowJSON `json:"items"`
}

// rowJSON is the evidence about one model and kind of task. Task is null for all tasks of
// the model together.
type rowJSON struct {
	Model    string       `json:"model"`
	Task     *string      `json:"task"`
	Feedback estimateJSON `json:"feedback"`
	Signals  signalsJSON  `json:"signals"`
}

// estimateJSON is a mean from 0 to 1 with its interval. Mean is null without data.
type estimateJSON struct {
	Count int64    `json:"count"`
	Mean  *float64 `json:"mean"`
	Low   float64  `json:"low"`
	High  float64  `json:"high"`
	// More is about how many further observations are needed; 0 if there are enough.
	More int64 `json:"more"`
}

type signalsJSON struct {
	estimateJSON
	// Flagged is the number of responses with at least one signal.
	Flagged int64            `json:"flagged"`
	Kinds   map[string]int64 `json:"kinds"`
}

func (s *API) apiGetQuality(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "from", "to")
	if err != nil {
		return err
	}
	q, err := httpapi.ParseQuery(p, v.Account.GetId())
	if err != nil {
		return err
	}
	from, to := wholeDays(q, time.Now())
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	sums, err := s.Ledger.Quality(ctx, v.Account.GetId(), from, to)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, reportJSON{
		From: jsonvalue.FormatTime(from), To: jsonvalue.FormatTime(to), Confidence: 1 - statistics.Alpha, TargetWidth: quality.TargetWidth,
		Items: jsonvalue.ConvertAll(quality.Report(sums, statistics.Alpha), toRowJSON),
	})
}

const day = 24 * time.Hour

// wholeDays extends a range to whole days (UTC), because responses are counted by day.
func wholeDays(q record.Query, now time.Time) (from, to time.Time) {
	to = q.To
	if to.IsZero() {
		to = now
	}
	if end := to.UTC().Truncate(day); end.Equal(to) {
		to = end
	} else {
		to = end.Add(day)
	}
	if q.From.IsZero() {
		return to.AddDate(0, 0, -defaultDays), to
	}
	return q.From.UTC().Truncate(day), to
}

func toRowJSON(r quality.Row) rowJSON {
	kinds := map[string]int64{}
	for k, n := range r.Signals {
		kinds[string(k)] = n
	}
	return rowJSON{
		Model: jsonvalue.ValidText(r.Model), Task: jsonvalue.NullIfZero(r.Task), Feedback: toEstimateJSON(r.Feedback),
		Signals: signalsJSON{estimateJSON: toEstimateJSON(r.Signal), Flagged: r.Flagged, Kinds: kinds},
	}
}

func toEstimateJSON(e quality.Estimate) estimateJSON {
	out := estimateJSON{Count: e.Count, Low: e.Interval.Low, High: e.Interval.High, More: e.More}
	if e.Count > 0 {
		out.Mean = &e.Mean
	}
	return out
}
