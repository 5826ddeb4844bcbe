package control

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/decide"
)

// inputs writes what a decision was made from, as far as the record does not
// have it elsewhere. What the router added is the decision's.
func (e *encoder) inputs(field protowire.Number, q *decide.Question, d *decide.Decision) {
	at := e.Open(field)
	for _, need := range q.Needs {
		e.text(1, string(need))
	}
	e.Signed(2, q.InputTokens)
	e.Signed(3, q.MaxOutputTokens)
	for _, tag := range q.Asker.Tags {
		e.text(4, tag)
	}
	for _, model := range q.Asker.Models {
		e.text(5, model)
	}
	e.Flag(6, q.Asker.MaySwapModel)
	e.text(7, q.Asker.Baseline)
	if !q.At.IsZero() {
		e.Signed(8, q.At.Unix())
	}
	e.Maybe(9, q.BudgetUsed)
	for name, v := range q.Metadata {
		pair := e.Open(10)
		e.text(1, name)
		e.text(2, v)
		e.Close(pair)
	}
	if d != nil {
		e.added(d)
	}
	if q.Seed != 0 {
		e.Tag(13, protowire.Fixed64Type)
		e.Buf = protowire.AppendFixed64(e.Buf, q.Seed)
	}
	e.Close(at)
}

func (e *encoder) numbers(field protowire.Number, all decide.Numbers) {
	for i := range all {
		e.Count(field, all[i].Name, all[i].Value)
	}
}

func (e *encoder) added(d *decide.Decision) {
	if d.Sticky != nil {
		e.text(11, d.Sticky.Model)
		e.text(12, d.Sticky.Provider)
	}
	e.text(14, d.Predictor)
	e.numbers(15, d.Qualities)
}
