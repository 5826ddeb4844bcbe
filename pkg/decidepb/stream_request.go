package decidepb

import (
	"bytes"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// Text is the text of a request.
type Text interface {
	// AppendExcerpt appends at most limit bytes of the text.
	AppendExcerpt(dst []byte, limit int) []byte
}

// StreamRequest is the content of a routerv1.DecideStreamRequest without its id.
type StreamRequest struct {
	Question      *decide.Question
	PolicyVersion string
	// Conversation is the id of the conversation, or 0.
	Conversation uint64
	// Text provides the excerpt, with at most MaxExcerpt bytes.
	Text       Text
	MaxExcerpt int
}

// Encoder encodes requests. It reuses its messages and buffers, because a proxy pays for them with
// each request. BenchmarkQuestion compares it with new messages. The zero value is ready for use.
// It is not safe for concurrent use.
type Encoder struct {
	request  routerv1.DecideRequest
	question routerv1.Question
	caller   routerv1.Caller
	features reusedValues
	excerpt  []byte
	out      []byte
}

// Encode returns the encoded request. The bytes are valid until the next call.
func (e *Encoder) Encode(r *StreamRequest) ([]byte, error) {
	e.fill(r)
	defer e.clear()
	e.out = appendLength(e.out[:0], requestField, proto.Size(&e.request))
	var err error
	if e.out, err = (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend(e.out, &e.request); err != nil {
		return nil, err
	}
	if e.excerpt = r.Text.AppendExcerpt(e.excerpt[:0], r.MaxExcerpt); len(e.excerpt) > 0 {
		e.out = appendExcerpt(e.out, e.excerpt)
	}
	return e.out, nil
}

func (e *Encoder) fill(r *StreamRequest) {
	e.request.Question, e.request.PolicyVersion = &e.question, r.PolicyVersion
	fillCaller(&e.caller, &r.Question.Caller)
	e.question.Caller, e.question.Features = &e.caller, e.features.fill(r.Question.Features)
	e.question.Conversation = r.Conversation
	fillQuestion(&e.question, r.Question)
}

// clear removes the references to the request.
func (e *Encoder) clear() {
	e.request.Reset()
	e.question.Reset()
	e.caller.Reset()
	e.features.clear()
}

// The numbers of the fields that lead to the excerpt, and of the id.
const (
	idField       = 1 // of DecideStreamRequest
	requestField  = 2 // of DecideStreamRequest
	questionField = 1 // of DecideRequest
	excerptField  = 7 // of Question
)

// MaxIDBytes is the maximum number of bytes that AppendID appends.
const MaxIDBytes = 11

// AppendID completes an encoded request with its id.
func AppendID(encoded []byte, id uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(encoded, idField, protowire.VarintType), id)
}

// appendExcerpt appends the excerpt as a second part of the request, because decoders merge the
// parts of a message. So the text needs no string of its own.
func appendExcerpt(dst, excerpt []byte) []byte {
	if !utf8.Valid(excerpt) { // decoders reject it
		excerpt = bytes.ToValidUTF8(excerpt, []byte("\uFFFD"))
	}
	question := protowire.SizeTag(excerptField) + protowire.SizeBytes(len(excerpt))
	request := protowire.SizeTag(questionField) + protowire.SizeBytes(question)
	dst = appendLength(appendLength(dst, requestField, request), questionField, question)
	return append(appendLength(dst, excerptField, len(excerpt)), excerpt...)
}

// appendLength appends the start of a field whose value has n bytes.
func appendLength(dst []byte, field protowire.Number, n int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.BytesType), uint64(n)) //nolint:gosec // a length is not negative
}
