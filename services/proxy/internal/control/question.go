package control

import (
	"sync"

	"google.golang.org/grpc/mem"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// question is an encoded routerv1.DecideStreamRequest in memory of gRPC's pool. It is encoded before
// it waits in the queue, because the memory of the request's text may be reused after a timeout. If
// the question could not be encoded, encoded is nil.
type question struct{ encoded *[]byte }

// encoders reuses the messages of questions. Nothing refers to them after Encode.
var encoders = sync.Pool{New: func() any { return new(decidepb.Encoder) }}

func newQuestion(p *policy.Policy, route *policy.Route, q *decide.Question, text Text) question {
	r := decidepb.StreamRequest{Question: q, PolicyVersion: p.Version(), Text: text, MaxExcerpt: requestbody.MaxExcerptBytes}
	if route.Affinity != nil {
		r.Conversation = text.ConversationID()
	}
	return encodeQuestion(&r)
}

func encodeQuestion(r *decidepb.StreamRequest) question {
	encoder := encoders.Get().(*decidepb.Encoder) //nolint:forcetypeassert // the pool holds nothing else
	defer encoders.Put(encoder)
	encoded, err := encoder.Encode(r)
	if err != nil {
		return question{}
	}
	buffer := mem.DefaultBufferPool().Get(len(encoded) + decidepb.MaxIDBytes)
	*buffer = append((*buffer)[:0], encoded...)
	return question{buffer}
}

// setID completes the question. It must be called once.
func (q question) setID(id uint64) { *q.encoded = decidepb.AppendID(*q.encoded, id) }

// moveToBuffers returns the question for gRPC, which puts its memory back into the pool. The question
// must not be used afterwards.
func (q question) moveToBuffers() mem.BufferSlice {
	return mem.BufferSlice{mem.NewBuffer(q.encoded, mem.DefaultBufferPool())}
}
