package decidewire

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// The endpoints, as router.proto numbers them.
const (
	endpointChat       = 1
	endpointEmbeddings = 2
)

// AppendMessage writes the question behind dst.
func (q *Question) AppendMessage(dst []byte) []byte {
	w := newWriter(dst)
	w.Num(1, q.ID)
	request := w.Open(2)
	asked := w.Open(1)
	w.Num(1, endpoint(q.Kind))
	w.Text(2, q.Model)
	for _, need := range q.Needs {
		w.Text(3, string(need))
	}
	w.Signed(4, q.InputTokens)
	w.Signed(5, q.MaxOutputTokens)
	w.numbers(6, q.Features, nil)
	w.Text(7, q.Excerpt)
	w.asker(8, &q.Caller)
	w.Num(9, q.Seed)
	w.circumstances(&q.Question)
	w.Num(16, q.Conversation)
	w.Close(asked)
	w.Text(2, q.Policy)
	w.Close(request)
	return w.Buf
}

// circumstances are when and in which state a question is asked.
func (w *writer) circumstances(q *decide.Question) {
	if !q.At.IsZero() {
		w.Signed(10, q.At.Unix())
	}
	w.Maybe(11, q.BudgetUsed)
	for name, v := range q.Metadata {
		at := w.Open(12)
		w.Text(1, name)
		w.Text(2, v)
		w.Close(at)
	}
	if q.Sticky != nil {
		w.target(13, q.Sticky)
	}
	w.numbers(14, q.Qualities, nil)
	w.Text(15, q.Predictor)
}

func endpoint(kind catalog.Kind) uint64 {
	if kind == catalog.Embeddings {
		return endpointEmbeddings
	}
	return endpointChat
}

func (w *writer) asker(field protowire.Number, a *decide.Caller) {
	at := w.Open(field)
	w.Text(1, a.AccountID)
	w.Text(2, a.KeyID)
	for _, tag := range a.Tags {
		w.Text(3, tag)
	}
	for _, model := range a.Models {
		w.Text(4, model)
	}
	w.Flag(5, a.MaySwapModel)
	w.Text(6, a.Baseline)
	w.Close(at)
}

// usualFeatures is room for the features of a request.
const usualFeatures = 8

// ReadMessage takes a question. All texts of it share the memory of the
// message, and its lists that of what was read before: who keeps anything of a
// question but its texts must not read the next one into it.
func (q *Question) ReadMessage(message string) error {
	q.clear()
	err := fields(message, func(f field) error {
		switch f.number {
		case 1:
			q.ID = f.num
		case 2:
			return fields(f.text, q.request)
		}
		return nil
	})
	q.Features, q.Qualities = q.Features.SortUnique(), q.Qualities.SortUnique()
	return err
}

// clear leaves nothing but room in the lists.
func (q *Question) clear() {
	*q = Question{Question: decide.Question{
		Needs: q.Needs[:0], Features: q.Features[:0], Qualities: q.Qualities[:0],
		Caller: decide.Caller{Tags: q.Caller.Tags[:0], Models: q.Caller.Models[:0]},
	}}
}

func (q *Question) request(f field) error {
	switch f.number {
	case 1:
		return fields(f.text, q.asked)
	case 2:
		q.Policy = f.text
	}
	return nil
}

func (q *Question) asked(f field) (err error) {
	switch f.number {
	case 1:
		q.Kind = kindOf(f.num)
	case 2:
		q.Model = f.text
	case 3:
		q.Needs = append(q.Needs, catalog.Capability(f.text))
	case 4:
		q.InputTokens = f.signed()
	case 5:
		q.MaxOutputTokens = f.signed()
	case 6:
		if q.Features == nil {
			q.Features = make(decide.NamedValues, 0, usualFeatures)
		}
		err = f.count(&q.Features)
	case 7:
		q.Excerpt = f.text
	case 8:
		err = fields(f.text, q.asker)
	case 9:
		q.Seed = f.num
	default:
		err = q.circumstance(f)
	}
	return err
}

func (q *Question) circumstance(f field) (err error) {
	switch f.number {
	case 10:
		q.At = time.Unix(f.signed(), 0).UTC()
	case 11:
		q.used = f.signed()
		q.BudgetUsed = &q.used
	case 12:
		err = f.pair(&q.Metadata)
	case 13:
		q.Sticky, err = f.target()
	case 14:
		err = f.count(&q.Qualities)
	case 15:
		q.Predictor = f.text
	case 16:
		q.Conversation = f.num
	}
	return err
}

func kindOf(endpoint uint64) catalog.Kind {
	switch endpoint {
	case endpointChat:
		return catalog.Chat
	case endpointEmbeddings:
		return catalog.Embeddings
	}
	return ""
}

func (q *Question) asker(f field) error {
	a := &q.Caller
	switch f.number {
	case 1:
		a.AccountID = f.text
	case 2:
		a.KeyID = f.text
	case 3:
		a.Tags = append(a.Tags, f.text)
	case 4:
		a.Models = append(a.Models, f.text)
	case 5:
		a.MaySwapModel = f.num != 0
	case 6:
		a.Baseline = f.text
	}
	return nil
}
