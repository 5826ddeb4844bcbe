package anthropic

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// defaultMaxTokens is used if neither the client nor the catalog sets a limit, because the
// Anthropic API requires max_tokens.
const defaultMaxTokens = 4096

// requestTranslator translates one request into the Messages format.
type requestTranslator struct {
	request        *requestbody.Request
	model          string
	wire           catalog.Wire
	modelMaxTokens int64
	fields         requestFields
	maxTokens      int64

	// system holds the blocks of the system prompt. tools holds the tool definitions.
	// Each block and definition has a trailing comma.
	system, tools []byte
	turns         turnWriter
	names         *toolNames
	// calledTools names the tools that the conversation called. toolsUndefined is set if
	// the request defines no tools.
	calledTools    [][]byte
	toolsUndefined bool
	// thinking and effort are the values of the members thinking and output_config.effort.
	thinking, effort []byte
	thinkingEnabled  bool

	// scratch is a buffer for one block.
	scratch []byte

	pieces  [][]byte
	dropped provider.DroppedFields
}

// translateRequest builds the body for the upstream. It fails with UNSUPPORTED_PARAMETER
// if the Messages format cannot express the request.
func translateRequest(call provider.Call) (*requestTranslator, error) {
	o := &requestTranslator{request: call.Request, model: call.UpstreamModel, modelMaxTokens: call.MaxOutputTokens, names: new(toolNames)}
	if call.Wire != nil {
		o.wire = *call.Wire
	}
	for _, step := range []func() error{
		o.readFields, o.readMessages, o.readTools, o.resolveReasoning, o.addJSONInstruction, o.writeBody,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// reportDropped records that a field is not sent, or not with the client's value.
func (o *requestTranslator) reportDropped(name string) { o.dropped.Add(name) }

func (o *requestTranslator) reportDroppedEach(prefix string, names []string) {
	for _, name := range names {
		o.reportDropped(prefix + name)
	}
}

// computeMaxTokens returns the value of max_tokens. It is the client's limit, but at most
// the limit of the model, because the Anthropic API rejects larger values. Without a client
// limit, it is the limit of the model or defaultMaxTokens.
func (o *requestTranslator) computeMaxTokens() int64 {
	switch asked := o.request.MaxOutputTokens; {
	case asked == 0 && o.modelMaxTokens == 0:
		return defaultMaxTokens
	case asked == 0 || o.modelMaxTokens > 0 && o.modelMaxTokens < asked:
		return o.modelMaxTokens
	default:
		return asked
	}
}

// writeBody assembles the body: the members before the messages, the messages, and the
// remaining members. The order is fixed, so that the upstream can reuse its prompt cache.
func (o *requestTranslator) writeBody() error {
	head := appendMember([]byte{'{'}, "model", quoteString(o.model))
	head = appendNumber(head, "max_tokens", o.maxTokens)
	head = appendArray(head, "system", o.system)
	if len(o.tools) > 0 {
		head = appendArray(head, "tools", o.tools)
		choice, err := o.buildToolChoice()
		if err != nil {
			return err
		}
		head = appendMember(head, "tool_choice", choice)
	}
	head = append(head, `"messages":[`...)
	tail := append(make([]byte, 0, 256), `],`...)
	tail, err := o.appendOptions(tail)
	if err != nil {
		return err
	}
	o.pieces = [][]byte{head, o.turns.finish(), closeWith(tail, "}")}
	return nil
}

func (o *requestTranslator) appendOptions(dst []byte) ([]byte, error) {
	config, err := o.buildOutputConfig()
	if err != nil {
		return nil, err
	}
	dst = appendMember(dst, "thinking", o.thinking)
	dst = appendMember(dst, "output_config", config)
	dst = o.appendSampling(dst)
	dst = appendMember(dst, "stop_sequences", o.buildStopSequences())
	dst = appendMember(dst, "metadata", o.buildMetadata())
	dst = appendMember(dst, "service_tier", o.mapServiceTier())
	dst = appendMember(dst, "cache_control", o.fields.cacheControl)
	if o.request.Stream {
		dst = append(dst, `"stream":true,`...)
	}
	return dst, nil
}
