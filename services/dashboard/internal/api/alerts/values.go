package alerts

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
)

// valueJSON is what a kind of alert measures now.
type valueJSON struct {
	// Subject is the key, provider or certificate; null for kinds with a single value.
	Subject *string `json:"subject"`
	Value   float64 `json:"value"`
	// Detail says what was counted; null if there was nothing to measure.
	Detail *string `json:"detail"`
}

// apiGetValues measures a kind as the evaluation of alerts does, so that users can choose a
// threshold.
func (s *API) apiGetValues(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "kind", "window_seconds")
	if err != nil {
		return err
	}
	window, err := strconv.ParseInt(cmp.Or(p.Get("window_seconds"), "0"), 10, 64)
	if err != nil || window < 0 || window > maxWindow {
		return httpapi.InvalidParam("window_seconds", "window_seconds must be a number of seconds")
	}
	rule := alert.Rule{AccountID: v.Account.GetId(), Kind: alert.Kind(p.Get("kind")), Window: time.Duration(window) * time.Second}
	spec, _ := rule.Kind.Spec()
	rule.Name, rule.Threshold = spec.Name, spec.Default
	if err := rule.Validate(v.Account.GetOperator(), nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	measured, err := s.Source.Measure(ctx, rule, now())
	return httpapi.WriteResult(w, http.StatusOK, map[string]any{"items": jsonvalue.ConvertAll(measured, toValueJSON)}, err)
}

func toValueJSON(m alert.Reading) valueJSON {
	return valueJSON{jsonvalue.NullIfZero(m.Name), m.Value, jsonvalue.NullIfZero(m.Detail)}
}
