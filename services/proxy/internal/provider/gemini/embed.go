package gemini

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

const (
	// maxBatchInputs is the maximum number of texts in one call, unless the catalog sets
	// another one. maxConcurrentCalls limits the concurrent calls for one request.
	maxBatchInputs     = 100
	maxConcurrentCalls = 4
)

// Embed sends the texts of a request in one upstream call. If there are too many texts for
// one call, it sends several calls concurrently.
func (p *Provider) Embed(ctx context.Context, call provider.Call) (*provider.Response, error) {
	d := parseEmbedRequest(call)
	if d.err != nil {
		return nil, d.err
	}
	batches := slices.Collect(slices.Chunk(d.inputs, d.batchSize()))
	responses := make([]upstream.Response, len(batches))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxConcurrentCalls)
	for i, inputs := range batches {
		group.Go(func() (err error) {
			responses[i], err = p.embedBatch(ctx, call, d.buildBatch(inputs))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	response := responses[0].ToProviderResponse()
	response.DroppedFields = d.dropped
	response.UpstreamCalls = len(responses)
	if len(responses) > 1 {
		response.ReportError = nil // the calls may have used different keys
	}
	response.Body = translateEmbeddings(responses)
	return response, nil
}

func (p *Provider) embedBatch(ctx context.Context, call provider.Call, body []byte) (upstream.Response, error) {
	response, err := p.client.Do(ctx, upstream.Request{
		Address: p.methodAddress(call.UpstreamModel, "batchEmbedContents", ""), Model: call.UpstreamModel,
		TriedKeys: call.Repeat.TriedKeys, BodyPieces: [][]byte{body}, TraceParent: call.TraceParent,
	})
	if err == nil && response.Stream != nil {
		_ = response.Stream.Close()
		err = p.client.InvalidResponse("not_json", "sent an event stream instead of JSON")
	}
	return response, err
}

// embedRequest translates an embeddings request.
type embedRequest struct {
	requestTranslator
	// inputs are the texts to embed. The members in nativeMembers apply to each text.
	inputs []jsontext.Value
}

func parseEmbedRequest(call provider.Call) *embedRequest {
	e := &embedRequest{requestTranslator: requestTranslator{call: call}}
	if call.Wire != nil {
		e.wire = *call.Wire
	}
	for name, v := range jsonscan.Members(call.Request.Body) {
		if !jsonscan.IsNull(v) {
			e.readMember(string(name), v)
		}
	}
	if len(e.inputs) == 0 {
		e.reject("input", "the input contains no text")
	}
	slices.Sort(e.dropped)
	return e
}

func (e *embedRequest) readMember(name string, v jsontext.Value) {
	switch name {
	case "model", "encoding_format":
	case "input":
		e.readInput(v)
	case "dimensions":
		e.nativeMembers.key("outputDimensionality").raw(v)
	case "taskType", "task_type":
		e.nativeMembers.key("taskType").raw(v)
	case "title":
		e.nativeMembers.key("title").raw(v)
	default:
		e.reportDropped(name)
	}
}

// readInput reads one or several texts. It rejects token arrays, because their tokens
// belong to the tokenizer of another model.
func (e *embedRequest) readInput(v jsontext.Value) {
	if jsonscan.IsString(v) {
		e.inputs = []jsontext.Value{v}
		return
	}
	for one := range jsonscan.Elements(v) {
		if !jsonscan.IsString(one) {
			e.reject("input", "send text instead of tokens")
			return
		}
		e.inputs = append(e.inputs, one)
	}
}

func (e *embedRequest) batchSize() int {
	if e.wire.MaxInputs > 0 {
		return e.wire.MaxInputs
	}
	return maxBatchInputs
}

func (e *embedRequest) buildBatch(inputs []jsontext.Value) []byte {
	var o jsonWriter
	o.open('{')
	o.key("requests").open('[')
	for _, text := range inputs {
		o.open('{')
		o.key("model").quote([]byte(resourceName(e.call.UpstreamModel)))
		o.key("content").open('{')
		o.key("parts").open('[')
		writeTextPart(&o, text)
		o.buf = append(o.buf, "]}"...)
		if !e.nativeMembers.isEmpty() {
			o.raw(e.nativeMembers.buf)
		}
		o.close('}')
	}
	o.buf = append(o.buf, "]}"...)
	return o.buf
}
