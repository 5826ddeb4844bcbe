package gemini

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

const (
	// maxInputs is how many texts Google takes in one call, and atOnce how
	// many calls are made together for one request.
	maxInputs = 100
	atOnce    = 4
)

// Embed makes one call, or several where there are many inputs.
func (p *Provider) Embed(ctx context.Context, call provider.Call) (*provider.Reply, error) {
	d := embedding(call)
	if d.err != nil {
		return nil, d.err
	}
	batches := slices.Collect(slices.Chunk(d.inputs, d.most()))
	answers := make([]upstream.Answer, len(batches))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, inputs := range batches {
		group.Go(func() (err error) {
			answers[i], err = p.embed(ctx, call.Upstream, d.batch(inputs))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	reply := answers[0].Reply()
	reply.Dropped = d.dropped
	reply.Calls = 0
	for i := range answers {
		reply.Calls += answers[i].Calls
	}
	if len(answers) > 1 {
		reply.Failed = nil // it could be the key of any of them
	}
	reply.Body = embeddings(answers)
	return reply, nil
}

func (p *Provider) embed(ctx context.Context, model string, body []byte) (upstream.Answer, error) {
	a, err := p.client.Do(ctx, upstream.Request{
		To: p.address(model, "batchEmbedContents", ""), Model: model, Pieces: [][]byte{body},
	})
	if err == nil && a.Stream != nil {
		_ = a.Stream.Close()
		err = p.client.Invalid("not_json", "answered with a stream")
	}
	return a, err
}

// embedder is an embeddings request in the making.
type embedder struct {
	draft
	// inputs are the texts; what rest has is said of each of them.
	inputs []jsontext.Value
}

func embedding(call provider.Call) *embedder {
	e := &embedder{draft: draft{call: call}}
	if call.Wire != nil {
		e.wire = *call.Wire
	}
	for name, v := range jsonscan.Members(call.Request.Body) {
		if !isNull(v) {
			e.take(string(name), v)
		}
	}
	if len(e.inputs) == 0 {
		e.refuse("input", "there is no text in it")
	}
	slices.Sort(e.dropped)
	return e
}

func (e *embedder) take(name string, v jsontext.Value) {
	switch name {
	case "model", "encoding_format":
	case "input":
		e.input(v)
	case "dimensions":
		e.rest.key("outputDimensionality").raw(v)
	case "taskType", "task_type":
		e.rest.key("taskType").raw(v)
	case "title":
		e.rest.key("title").raw(v)
	default:
		e.drop(name)
	}
}

// input takes a text or several. Tokens are those of another model.
func (e *embedder) input(v jsontext.Value) {
	if isText(v) {
		e.inputs = []jsontext.Value{v}
		return
	}
	for one := range jsonscan.Elements(v) {
		if !isText(one) {
			e.refuse("input", "it takes texts, not tokens")
			return
		}
		e.inputs = append(e.inputs, one)
	}
}

func (e *embedder) most() int {
	if e.wire.MaxInputs > 0 {
		return e.wire.MaxInputs
	}
	return maxInputs
}

// batch is the body of one call.
func (e *embedder) batch(inputs []jsontext.Value) []byte {
	var o out
	o.open('{')
	o.key("requests").open('[')
	for _, text := range inputs {
		o.open('{')
		o.key("model").quote([]byte(resource(e.call.Upstream)))
		o.key("content").open('{')
		o.key("parts").open('[')
		textPart(&o, text)
		o.b = append(o.b, "]}"...)
		if !e.rest.empty() {
			o.raw(e.rest.b)
		}
		o.end('}')
	}
	o.b = append(o.b, "]}"...)
	return o.b
}
