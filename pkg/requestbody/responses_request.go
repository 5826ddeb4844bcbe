package requestbody

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// responsesParser parses a request of OpenAI's Responses protocol.
type responsesParser struct {
	*parser
	// items is the number of input items so far.
	items int
	calls callTracker
	// inAssistantTurn is set while the items belong to the same assistant message.
	inAssistantTurn bool
	tools           responsesTools
}

// ParseResponses parses the body of a request of the Responses protocol. It fails like
// ParseChat. The param of an error is a path in the client's body, such as
// input[3].call_id.
func ParseResponses(body []byte) (*Request, error) {
	p := newParser(catalog.Chat, body)
	defer p.release()
	p.req.Protocol, p.req.Store = Responses, true
	q := responsesParser{parser: p}
	p.readBody(func(*parser) { q.readMember() })
	q.requireInput()
	q.checkCalls()
	q.checkToolChoice()
	return p.buildRequest()
}

// requireInput fails if the model or the input is missing. Stored prompts and stored
// conversations need neither.
func (q *responsesParser) requireInput() {
	if q.isNative(nativePrompt) {
		q.hasModel = true
	}
	if q.isNative(nativePrompt) || q.isNative(nativePreviousResponse) || q.isNative(nativeConversation) {
		q.hasPayload = true
	}
	q.requireMembers("input")
}

var responsesMemberNames = []string{
	"model", "input", "instructions", "stream", "stream_options", "max_output_tokens", "temperature", "top_p", "tools", "tool_choice",
	"parallel_tool_calls", "text", "reasoning", "store", "previous_response_id", "conversation", "background", "prompt",
	"metadata", "user", "include", "top_logprobs",
}

func (q *responsesParser) readMember() {
	switch string(q.Name()) {
	case "model":
		q.readModel()
	case "input":
		q.readResponsesInput()
	case "instructions":
		q.readInstructions()
	case "stream":
		q.req.Stream = q.parseBool("stream", q.Value())
	case "stream_options":
		q.readStreamOptions()
	case "max_output_tokens":
		q.readMaxTokens(q.Name())
	case "temperature":
		q.readNumber(q.Name(), 0, 2)
	case "top_p":
		q.readNumber(q.Name(), 0, 1)
	case "top_logprobs":
		q.readTopLogprobs()
	case "tools":
		q.readResponsesTools()
	case "tool_choice":
		q.readResponsesToolChoice()
	case "parallel_tool_calls":
		q.parseBool("parallel_tool_calls", q.Value())
	case "text":
		q.readTextOptions()
	default:
		q.readStateMember()
	}
}

// readStateMember reads the members about stored state, and those that are not interpreted.
func (q *responsesParser) readStateMember() {
	switch string(q.Name()) {
	case "store":
		q.req.Store = q.parseBoolOr("store", true)
	case "previous_response_id":
		q.req.PreviousResponseID = jsonscan.DecodeText(q.readStringMember("previous_response_id", maxUserLength))
		q.requireNative(q.req.PreviousResponseID != "", nativePreviousResponse)
		q.req.HasHistory = q.req.HasHistory || q.req.PreviousResponseID != ""
	case "conversation":
		q.requireNative(!jsonscan.IsNull(q.Value()), nativeConversation)
	case "prompt":
		q.requireNative(!jsonscan.IsNull(q.Value()), nativePrompt)
	case "background":
		q.requireNative(q.parseBool("background", q.Value()), nativeBackground)
	case "reasoning":
		q.readKind("reasoning", jsonscan.BeginObject, "must be an object")
	case "include":
		q.readKind("include", jsonscan.BeginArray, "must be an array")
	case "metadata":
		q.readMetadata()
	case "user":
		q.checkKind(q.Name())
	default:
		q.readUnknownMember(responsesMemberNames)
	}
}

// These are the parts of a request that only upstreams of the same protocol can serve.
const (
	nativeEncrypted        = "encrypted_content"
	nativeItemReference    = "item_reference"
	nativePreviousResponse = "previous_response_id"
	nativeConversation     = "conversation"
	nativeFileID           = "file_id"
	nativeServerTool       = "server_tool"
	nativeBackground       = "background"
	nativePrompt           = "prompt"
	nativeItemType         = "item_type"
	nativeContentType      = "content_type"
	nativeVectorStore      = "vector_store_ids"
	nativeContainer        = "container"
	nativeSkill            = "skill_id"
)

func (q *responsesParser) requireNative(needed bool, name string) {
	if needed && !q.isNative(name) {
		q.req.NativeOnly = append(q.req.NativeOnly, name)
	}
}

func (q *responsesParser) isNative(name string) bool { return slices.Contains(q.req.NativeOnly, name) }
