package recordcodec

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/decide"
)

// writeInputs writes the inputs of the decision that are not elsewhere in the record. The
// decision contains the inputs that the router added.
func (e *encoder) writeInputs(field protowire.Number, q *decide.Question, d *decide.Decision) {
	at := e.openMessage(field)
	for _, need := range q.Needs {
		e.writeText(1, string(need))
	}
	e.writeInt(2, q.InputTokens)
	e.writeInt(3, q.MaxOutputTokens)
	for _, tag := range q.Caller.Tags {
		e.writeText(4, tag)
	}
	for _, model := range q.Caller.Models {
		e.writeText(5, model)
	}
	e.writeBool(6, q.Caller.MaySwapModel)
	e.writeText(7, q.Caller.Baseline)
	if !q.At.IsZero() {
		e.writeInt(8, q.At.Unix())
	}
	e.writeOptional(9, q.BudgetUsed)
	for name, v := range q.Metadata {
		pair := e.openMessage(10)
		e.writeText(1, name)
		e.writeText(2, v)
		e.closeMessage(pair)
	}
	if d != nil {
		e.writeRouterInputs(d)
	}
	if q.Seed != 0 {
		e.writeTag(13, protowire.Fixed64Type)
		e.buf = protowire.AppendFixed64(e.buf, q.Seed)
	}
	e.writeText(16, string(q.NativeProtocol))
	for _, part := range q.NativeOnly {
		e.writeText(17, part)
	}
	e.writeText(18, q.Issuer)
	if q.Session != nil {
		e.writeSession(19, q.Session)
	}
	e.writeOptional(20, q.MaxCost.Pointer())
	e.writeBool(21, q.OwnEffort)
	e.closeMessage(at)
}

func (e *encoder) writeNumbers(field protowire.Number, all decide.NamedValues) {
	for i := range all {
		entry := e.openMessage(field)
		e.writeText(1, all[i].Name)
		e.writeInt(2, all[i].Value)
		e.closeMessage(entry)
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
