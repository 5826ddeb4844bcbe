package decidewire

import (
	"encoding/json"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
)

// AppendMessage writes the answer behind dst.
func (a *Answer) AppendMessage(dst []byte) []byte {
	w := newWriter(dst)
	w.Num(1, a.ID)
	if a.Refusal != nil {
		w.refusal(3, apperr.From(a.Refusal), a)
		return w.Buf
	}
	response := w.Open(2)
	w.decision(1, a)
	w.Close(response)
	return w.Buf
}

func (w *writer) refusal(field protowire.Number, e *apperr.Error, a *Answer) {
	details, err := json.Marshal(e.Details)
	if err != nil || e.Details == nil {
		details = []byte("{}")
	}
	at := w.Open(field)
	w.Text(1, string(e.Code))
	w.Text(2, e.Message)
	w.Text(3, string(details))
	if a.Decision.PolicyVersion != "" {
		w.decision(4, a)
	}
	w.Close(at)
}

func (w *writer) decision(field protowire.Number, a *Answer) {
	at, d := w.Open(field), &a.Decision
	for i := range d.Plan {
		w.target(1, &d.Plan[i])
	}
	w.target(2, &d.HealthyFirst)
	reason := w.Open(3)
	w.Text(1, d.Reason.Code)
	w.Text(2, d.Reason.Text)
	w.Text(3, d.Reason.Rule)
	w.Close(reason)
	w.Flag(4, d.PolicyControlled)
	for i := range d.Verdicts {
		w.verdict(5, &d.Verdicts[i])
	}
	w.Text(6, d.Baseline)
	w.Text(7, d.PolicyVersion)
	w.Text(8, d.CatalogVersion)
	w.Text(9, d.EngineVersion)
	w.numbers(10, d.Features, a.Asked)
	if d.Sticky != nil {
		w.target(11, d.Sticky)
	}
	w.numbers(12, d.Qualities, nil)
	w.Text(13, d.Predictor)
	w.Close(at)
}

func (w *writer) target(field protowire.Number, t *decide.Candidate) {
	at := w.Open(field)
	w.Text(1, t.Model)
	w.Text(2, t.Provider)
	w.Close(at)
}

func (w *writer) verdict(field protowire.Number, v *decide.Verdict) {
	at := w.Open(field)
	w.target(1, &v.Candidate)
	w.Text(2, v.Code)
	w.Text(3, v.Text)
	w.Maybe(4, v.PredictedCost.Pointer())
	w.Signed(5, v.Latency)
	w.Signed(6, v.Quality)
	w.Text(7, v.DownReason)
	w.Close(at)
}
