package control

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/decide"
)

// writeInputs writes the inputs of the decision that are not elsewhere in the record. The
// decision contains the inputs that the router added.
func (e *encoder) writeInputs(field protowire.Number, q *decide.Question, d *decide.Decision) {
	at := e.Open(field)
	for _, need := range q.Needs {
		e.writeText(1, string(need))
	}
	e.Signed(2, q.InputTokens)
	e.Signed(3, q.MaxOutputTokens)
	for _, tag := range q.Caller.Tags {
		e.writeText(4, tag)
	}
	for _, model := range q.Caller.Models {
		e.writeText(5, model)
	}
	e.Flag(6, q.Caller.MaySwapModel)
	e.writeText(7, q.Caller.Baseline)
	if !q.At.IsZero() {
		e.Signed(8, q.At.Unix())
	}
	e.Maybe(9, q.BudgetUsed)
	for name, v := range q.Metadata {
		pair := e.Open(10)
		e.writeText(1, name)
		e.writeText(2, v)
		e.Close(pair)
	}
	if d != nil {
		e.writeRouterInputs(d)
	}
	if q.Seed != 0 {
		e.Tag(13, protowire.Fixed64Type)
		e.Buf = protowire.AppendFixed64(e.Buf, q.Seed)
	}
	e.Close(at)
}

func (e *encoder) writeNumbers(field protowire.Number, all decide.NamedValues) {
	for i := range all {
		e.Count(field, all[i].Name, all[i].Value)
	}
}

func (e *encoder) writeRouterInputs(d *decide.Decision) {
	if d.Sticky != nil {
		e.writeText(11, d.Sticky.Model)
		e.writeText(12, d.Sticky.Provider)
	}
	e.writeText(14, d.Predictor)
	e.writeNumbers(15, d.Qualities)
}
