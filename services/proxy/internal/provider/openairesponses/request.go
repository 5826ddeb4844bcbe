package openairesponses

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// requestTranslator translates one request into the format of the Responses API.
type requestTranslator struct {
	request *requestbody.Request
	model   string
	wire    catalog.Wire
	fields  requestFields
	// omitReasoning leaves out the encrypted reasoning of the conversation. hasReasoning is
	// set if the translated request contains some.
	omitReasoning, hasReasoning bool

	// input holds the items of the conversation. tools holds the tool definitions. Each item
	// and definition has a trailing comma.
	input, tools []byte
	// customCalls holds the ids of the calls of custom tools.
	customCalls map[string]bool

	pieces  [][]byte
	dropped provider.DroppedFields
}

// translateRequest builds the body for the upstream. It fails with UNSUPPORTED_PARAMETER
// if the Responses API cannot express the request.
func translateRequest(call provider.Call) (*requestTranslator, error) {
	t := &requestTranslator{request: call.Request, model: call.UpstreamModel, omitReasoning: call.Repeat.OmitSignatures}
	if call.Wire != nil {
		t.wire = *call.Wire
	}
	for _, step := range []func() error{t.readFields, t.readTools, t.readMessages, t.writeBody} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// reportDropped records that a field is not sent, or not with the client's value.
func (t *requestTranslator) reportDropped(name string) { t.dropped.Add(name) }

// dropBelow returns a function that reports a member of an object as dropped.
func (t *requestTranslator) dropBelow(prefix string) func(name string) {
	return func(name string) { t.reportDropped(prefix + name) }
}

// writeBody assembles the body: the members before the input, the input, and the remaining
// members. The order is fixed, so that requests with the same prefix look the same.
func (t *requestTranslator) writeBody() error {
	head := appendMember([]byte{'{'}, "model", quoteString(t.model))
	head, err := t.appendToolOptions(head)
	if err != nil {
		return err
	}
	head = append(head, `"input":[`...)
	tail := append(make([]byte, 0, 256), `],"store":false,`...)
	if tail, err = t.appendOptions(tail); err != nil {
		return err
	}
	t.pieces = [][]byte{head, closeWith(t.input, ""), closeWith(tail, "}")}
	return nil
}

func (t *requestTranslator) appendOptions(dst []byte) ([]byte, error) {
	dst, err := t.appendTextOptions(dst)
	if err != nil {
		return nil, err
	}
	if dst, err = t.appendReasoningOptions(dst); err != nil {
		return nil, err
	}
	f := &t.fields
	dst = appendArray(dst, "include", t.listIncludes())
	dst = t.appendMaxTokens(dst)
	dst = appendMember(dst, "temperature", f.temperature)
	dst = appendMember(dst, "top_p", f.topP)
	if t.wantsLogprobs() {
		dst = appendMember(dst, "top_logprobs", f.topLogprobs)
	}
	dst = appendMember(dst, "prompt_cache_key", f.promptCacheKey)
	dst = appendMember(dst, "prompt_cache_retention", f.promptCacheRetention)
	dst = appendMember(dst, "prompt_cache_options", f.promptCacheOptions)
	dst = appendMember(dst, "safety_identifier", f.safetyIdentifier)
	dst = appendMember(dst, "user", f.user)
	dst = appendMember(dst, "service_tier", f.serviceTier)
	dst = appendMember(dst, "metadata", f.metadata)
	dst = appendMember(dst, "moderation", f.moderation)
	if t.request.Stream {
		dst = append(dst, `"stream":true,`...)
	}
	return dst, nil
}
