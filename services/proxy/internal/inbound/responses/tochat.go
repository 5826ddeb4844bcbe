package responses

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// requestFields holds the members of a request, as raw JSON. A member that is null is absent.
type requestFields struct {
	model, input, instructions, stream, streamOptions, maxOutputTokens jsontext.Value
	temperature, topP, topLogprobs, tools, toolChoice, parallelCalls   jsontext.Value
	text, reasoning, store, include, metadata, truncation              jsontext.Value
	cacheKey, cacheRetention, cacheOptions                             jsontext.Value
	safetyIdentifier, user, serviceTier                                jsontext.Value
	background, previousResponse, conversation, prompt                 jsontext.Value
}

func (f *requestFields) lookup(name string) *jsontext.Value {
	for _, known := range []field{
		{"model", &f.model}, {"input", &f.input}, {"instructions", &f.instructions}, {"stream", &f.stream},
		{"stream_options", &f.streamOptions}, {"max_output_tokens", &f.maxOutputTokens},
		{"temperature", &f.temperature}, {"top_p", &f.topP}, {"top_logprobs", &f.topLogprobs},
		{"tools", &f.tools}, {"tool_choice", &f.toolChoice}, {"parallel_tool_calls", &f.parallelCalls},
		{"text", &f.text}, {"reasoning", &f.reasoning}, {"store", &f.store}, {"include", &f.include},
		{"metadata", &f.metadata}, {"truncation", &f.truncation}, {"prompt_cache_key", &f.cacheKey},
		{"prompt_cache_retention", &f.cacheRetention}, {"prompt_cache_options", &f.cacheOptions},
		{"safety_identifier", &f.safetyIdentifier}, {"user", &f.user}, {"service_tier", &f.serviceTier},
		{"background", &f.background}, {"previous_response_id", &f.previousResponse},
		{"conversation", &f.conversation}, {"prompt", &f.prompt},
	} {
		if known.name == name {
			return known.dst
		}
	}
	return nil
}

// requestTranslator translates one request.
type requestTranslator struct {
	fields  requestFields
	names   toolNames
	tools   toolTranslator
	dropped provider.DroppedFields
	// messages holds the messages of the chat, each with a trailing comma.
	messages []byte
	turn     assistantTurn
	waiting  waitingMessages
	// item is the number of the current input item.
	item int
	// isNativeOnly is set if only a provider of the Responses protocol can serve the request.
	isNativeOnly bool
}

// ToChat implements inbound.Protocol.
func (Protocol) ToChat(r *requestbody.Request) (*inbound.Translation, error) {
	t := requestTranslator{isNativeOnly: len(r.NativeOnly) > 0}
	t.readMembers(r)
	if err := t.checkState(); err != nil {
		return nil, err
	}
	// Tools come first, because they determine the names of the calls in the history.
	if err := t.readTools(); err != nil {
		return nil, err
	}
	t.messages = make([]byte, 0, len(t.fields.input)+len(t.fields.instructions)+256)
	if err := t.readMessages(); err != nil {
		return nil, err
	}
	t.reportLostOptions()
	return &inbound.Translation{
		Body: t.appendBody(make([]byte, 0, len(t.messages)+len(t.tools.definitions)+1024)), Dropped: t.dropped,
		Responder: newResponder(&t),
	}, nil
}

func (t *requestTranslator) readMembers(r *requestbody.Request) {
	members := r.Members()
	for i := range members {
		name, v := string(r.MemberName(&members[i])), r.MemberValue(&members[i])
		switch dst := t.fields.lookup(name); {
		case dst == nil && !jsonscan.IsEmptyOrFalse(v):
			t.reportDropped(name)
		case dst != nil && !jsonscan.IsNull(v):
			*dst = v
		}
	}
}

// checkState rejects a request that depends on state at a vendor.
func (t *requestTranslator) checkState() error {
	for _, member := range []field{
		{"previous_response_id", &t.fields.previousResponse}, {"conversation", &t.fields.conversation},
		{"prompt", &t.fields.prompt}, {"background", &t.fields.background},
	} {
		if !jsonscan.IsEmptyOrFalse(*member.dst) {
			return unsupportedError(member.name, "only a provider of the Responses protocol can serve it")
		}
	}
	return nil
}

// reportLostOptions reports the options that have no meaning for other vendors.
func (t *requestTranslator) reportLostOptions() {
	f := &t.fields
	if !jsonscan.IsBlank(f.include) {
		t.reportDropped("include")
	}
	if string(f.store) == "true" {
		t.reportDropped("store")
	}
	if f.truncation != nil && string(f.truncation) != `"disabled"` {
		t.reportDropped("truncation")
	}
}

func (t *requestTranslator) reportDropped(name string) { t.dropped.Add(name) }

func unsupportedError(param, why string) error {
	return apperr.New(apperr.UnsupportedParameter, param+" is not supported by this model's provider: "+why).With("param", param)
}
