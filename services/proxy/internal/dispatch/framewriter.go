package dispatch

import (
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// frameWriter turns the events of an upstream into frames for the client. Its methods are
// those of normalize.Stream.
type frameWriter interface {
	responseState
	AppendEvent(dst, payload []byte) ([]byte, error)
	Finish(dst []byte) ([]byte, error)
	HasStarted() bool
	OutputTextBytes() int
	ReportedValues() normalize.Response
}

// newStream returns the writer for a response in the chat format.
func (a *attempt) newStream() frameWriter {
	st := a.newChatStream()
	if a.translation == nil {
		return st
	}
	t := &translatedStream{Stream: st, out: a.translation.NewStream(a.inboundOptions())}
	a.errors = t.out
	return t
}

func (a *attempt) newChatStream() *normalize.Stream {
	o := a.responseOptions()
	a.result.stream = normalize.NewStream(normalize.StreamOptions{
		ID: o.ID, Created: o.Created, Model: o.Model, IncludeUsage: a.request.IncludeUsage,
		InputTokens: o.InputTokens, OutputRatio: o.OutputRatio, Choices: o.Choices, Transcript: a.job.Transcript,
	})
	return a.result.stream
}

// translatedStream writes a normalized stream in the client's protocol.
type translatedStream struct {
	*normalize.Stream
	out inbound.Stream
	// frames is a buffer for the frames of one event. size is the length of all frames so far.
	frames []byte
	size   int
}

// maxTranslated limits a stream that is translated. Translations hold parts of a response until
// its end, such as calls that arrive mixed, or all of it. It is far above the longest output of
// a model.
const maxTranslated = 32 << 20

// AppendEvent appends the client's events for one event of the upstream.
func (t *translatedStream) AppendEvent(dst, payload []byte) (_ []byte, err error) {
	if t.frames, err = t.Stream.AppendEvent(t.frames[:0], payload); err != nil {
		return dst, err
	}
	return t.appendChunks(dst)
}

// Finish appends the end of the client's stream.
func (t *translatedStream) Finish(dst []byte) (_ []byte, err error) {
	if t.frames, err = t.Stream.Finish(t.frames[:0]); err != nil {
		return dst, err
	}
	if dst, err = t.appendChunks(dst); err != nil {
		return dst, err
	}
	return t.out.AppendEnd(dst), nil
}

func (t *translatedStream) appendChunks(dst []byte) ([]byte, error) {
	start := len(dst)
	if t.size += len(t.frames); t.size > maxTranslated {
		return dst, upstreamerror.InvalidResponse("the stream is longer than 32 MiB")
	}
	for chunk := range normalize.Chunks(t.frames) {
		var err error
		if dst, err = t.out.AppendChunk(dst, chunk); err != nil {
			return dst[:start], err
		}
	}
	return dst, nil
}

// newRelay returns the writer for a stream in the client's own protocol. translate translates
// its events for the transcript. It is nil if the adapter cannot translate them.
func (a *attempt) newRelay(translate func([]byte) ([]byte, error)) frameWriter {
	r := &relayedStream{Relay: a.job.Protocol.NewRelay(a.inboundOptions())}
	if a.errors = r.Relay; a.job.Transcript != nil {
		r.transcript, r.translate = a.newChatStream(), translate
	}
	return r
}

// relayedStream forwards a stream and records its output. The transcript has the chat format,
// because redaction needs the joined text: the events may split a secret.
type relayedStream struct {
	inbound.Relay
	// transcript is nil if the output is not recorded.
	transcript *normalize.Stream
	translate  func([]byte) ([]byte, error)
	frames     []byte
}

// AppendEvent appends the frame of one event. It appends nothing for a heartbeat.
func (r *relayedStream) AppendEvent(dst, payload []byte) ([]byte, error) {
	if len(payload) == 0 {
		return dst, nil
	}
	dst, err := r.Relay.AppendEvent(dst, payload)
	if err == nil && r.transcript != nil && r.translate != nil {
		r.record(payload)
	}
	return dst, err
}

// record adds an event to the transcript. An event that cannot be translated is left out.
func (r *relayedStream) record(payload []byte) {
	if chunk, err := r.translate(payload); err == nil {
		r.frames, _ = r.transcript.AppendEvent(r.frames[:0], chunk)
	}
}

var (
	_ frameWriter = (*normalize.Stream)(nil)
	_ frameWriter = (*translatedStream)(nil)
	_ frameWriter = (*relayedStream)(nil)
)
