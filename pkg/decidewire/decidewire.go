// Package decidewire is the form in which questions and decisions travel on the
// stream between proxy and router: the messages of signalbox.router.v1, written
// and read without the generated structs, which would cost a request more than
// the decision itself. Its tests hold it against the generated code. It sends
// nothing, and the seldom calls have no use for it.
package decidewire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/protowriter"
)

// writer writes a question or an answer.
type writer struct{ protowriter.Writer }

func newWriter(dst []byte) *writer { return &writer{protowriter.Writer{Buf: dst}} }

// numbers writes those whose names are not known on the other side.
func (w *writer) numbers(field protowire.Number, all, known decide.NamedValues) {
	for i := range all {
		name := all[i].Name
		for len(known) > 0 && known[0].Name < name {
			known = known[1:]
		}
		if len(known) == 0 || known[0].Name != name {
			w.Count(field, name, all[i].Value)
		}
	}
}

// Question is a DecideStreamRequest.
type Question struct {
	// ID is the caller's, unique among its unanswered questions.
	ID uint64
	// Question has no Kind if it came for an endpoint that is not known here.
	decide.Question
	// Excerpt is the part of the text that may matter.
	Excerpt string
	// Conversation tells the request's from others; 0 when it is not known.
	Conversation uint64
	// Policy is the version that the caller holds.
	Policy string
	// used is where BudgetUsed points in a question that was read.
	used int64
}

// Answer is a DecideStreamResponse.
type Answer struct {
	// ID is the question's.
	ID uint64
	// Decision is the plan, or with a refusal what is known of it. The features
	// of the question are not sent back, so what was read has none of them.
	Decision decide.Decision
	// Asked are the features of the question; they are not sent.
	Asked decide.NamedValues
	// Refusal is why there is no decision: an *apperr.Error of the shared table,
	// or another error if the other side knows one that is not in it.
	Refusal error
}
