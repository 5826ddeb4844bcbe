package decidewire

import (
	"encoding/json"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
)

// AppendMessage writes the answer behind dst.
func (a *Answer) AppendMessage(dst []byte) []byte {
	w := &writer{b: dst}
	w.num(1, a.ID)
	if a.Refusal != nil {
		w.refusal(3, apperr.From(a.Refusal))
		return w.b
	}
	response := w.open(2)
	w.decision(1, &a.Decision)
	w.close(response)
	return w.b
}

func (w *writer) refusal(field protowire.Number, e *apperr.Error) {
	details, err := json.Marshal(e.Details)
	if err != nil || e.Details == nil {
		details = []byte("{}")
	}
	at := w.open(field)
	w.text(1, string(e.Code))
	w.text(2, e.Message)
	w.text(3, string(details))
	w.close(at)
}

func (w *writer) decision(field protowire.Number, d *decide.Decision) {
	at := w.open(field)
	for i := range d.Plan {
		w.target(1, &d.Plan[i])
	}
	w.target(2, &d.HealthyFirst)
	reason := w.open(3)
	w.text(1, d.Reason.Code)
	w.text(2, d.Reason.Text)
	w.text(3, d.Reason.Rule)
	w.close(reason)
	w.flag(4, d.PolicyControlled)
	for i := range d.Verdicts {
		w.verdict(5, &d.Verdicts[i])
	}
	w.text(6, d.Baseline)
	w.text(7, d.Policy)
	w.text(8, d.Catalog)
	w.text(9, d.Engine)
	w.features(10, d.Features)
	w.close(at)
}

func (w *writer) target(field protowire.Number, t *decide.Target) {
	at := w.open(field)
	w.text(1, t.Model)
	w.text(2, t.Provider)
	w.close(at)
}

func (w *writer) verdict(field protowire.Number, v *decide.Verdict) {
	at := w.open(field)
	w.target(1, &v.Target)
	w.text(2, v.Code)
	w.text(3, v.Text)
	if v.Predicted != nil {
		w.tag(4, protowire.VarintType)
		w.varint(uint64(*v.Predicted)) //nolint:gosec // the wire format of a signed number
	}
	w.close(at)
}
