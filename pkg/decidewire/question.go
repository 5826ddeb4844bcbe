package decidewire

import (
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
	w := &writer{b: dst}
	w.num(1, q.ID)
	request := w.open(2)
	asked := w.open(1)
	w.num(1, endpoint(q.Kind))
	w.text(2, q.Model)
	for _, need := range q.Needs {
		w.text(3, string(need))
	}
	w.signed(4, q.InputTokens)
	w.signed(5, q.MaxOutputTokens)
	w.features(6, q.Features)
	w.text(7, q.Excerpt)
	w.asker(8, &q.Asker)
	w.num(9, q.Seed)
	w.close(asked)
	w.text(2, q.Policy)
	w.close(request)
	return w.b
}

func endpoint(kind catalog.Kind) uint64 {
	if kind == catalog.Embeddings {
		return endpointEmbeddings
	}
	return endpointChat
}

func (w *writer) asker(field protowire.Number, a *decide.Asker) {
	at := w.open(field)
	w.text(1, a.AccountID)
	w.text(2, a.KeyID)
	for _, tag := range a.Tags {
		w.text(3, tag)
	}
	for _, model := range a.Models {
		w.text(4, model)
	}
	w.flag(5, a.MaySwapModel)
	w.text(6, a.Baseline)
	w.close(at)
}

// ReadMessage takes a question. All texts of it share the memory of the
// message.
func (q *Question) ReadMessage(message string) error {
	*q = Question{}
	return fields(message, func(f field) error {
		switch f.number {
		case 1:
			q.ID = f.num
		case 2:
			return fields(f.text, q.request)
		}
		return nil
	})
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
		err = f.feature(&q.Features)
	case 7:
		q.Excerpt = f.text
	case 8:
		err = fields(f.text, q.asker)
	case 9:
		q.Seed = f.num
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
	a := &q.Asker
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
