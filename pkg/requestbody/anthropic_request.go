package requestbody

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// anthropicState holds the values that the parser of Anthropic's Messages needs beyond one
// message.
type anthropicState struct {
	// calls holds the ids of the tool calls of the last assistant turn. lastRole is the role
	// of the last message that is not a system message.
	calls    []jsontext.Value
	lastRole jsontext.Value
	// startsWithThinking is set if the last assistant turn starts with thinking.
	startsWithThinking bool
	// callIndex contains the first indexed calls. It is used only for many calls.
	callIndex callTracker
	indexed   int
	// serverTools holds the names of the tools that Anthropic runs. customTools counts the
	// tools that the client defines.
	serverTools []jsontext.Value
	customTools int
	// choiceKind and choiceName are the members type and name of tool_choice.
	choiceKind, choiceName jsontext.Value
}

// ParseMessages parses the body of a request to Anthropic's Messages API. It fails like
// ParseChat.
func ParseMessages(body []byte) (*Request, error) { return parseAnthropic(body, true) }

// ParseMessagesCount parses the body of a request that counts the tokens of Messages. Such a
// body does not need max_tokens.
func ParseMessagesCount(body []byte) (*Request, error) { return parseAnthropic(body, false) }

func parseAnthropic(body []byte, needsMaxTokens bool) (*Request, error) {
	p := newParser(catalog.Chat, body)
	defer p.release()
	p.req.Protocol = Messages
	p.readBody((*parser).readAnthropicMember)
	p.requireMembers("messages")
	if needsMaxTokens && p.req.MaxOutputTokens == 0 {
		p.SetError(errInvalidParam("max_tokens", "is missing"))
	}
	if p.forcesServerTool() {
		p.addNativeOnly("server_tool")
	}
	return p.buildRequest()
}

// addNativeOnly records that only an upstream of the client's protocol can serve the request.
func (p *parser) addNativeOnly(name string) {
	if !slices.Contains(p.req.NativeOnly, name) {
		p.req.NativeOnly = append(p.req.NativeOnly, name)
	}
}

var anthropicMemberNames = []string{
	"model", "messages", "system", "tools", "tool_choice", "max_tokens", "stream", "stop_sequences",
	"temperature", "top_p", "top_k", "thinking", "output_config", "output_format", "metadata",
	"mcp_servers", "container", "context_management", "service_tier", "inference_geo", "cache_control",
}

func (p *parser) readAnthropicMember() {
	switch string(p.Name()) {
	case "model":
		p.readModel()
	case "messages":
		p.readAnthropicMessages()
	case "system":
		p.readAnthropicSystem()
	case "tools":
		p.readAnthropicTools()
	case "tool_choice":
		p.readAnthropicToolChoice()
	case "max_tokens":
		p.readMaxTokens(p.Name())
	case "stream":
		p.req.Stream = p.parseBool("stream", p.Value())
	case "stop_sequences":
		p.readStopSequences()
	case "temperature", "top_p":
		p.readNumber(p.Name(), 0, 1)
	case "top_k":
		p.readInteger(p.Name(), 0)
	case "metadata":
		p.readMetadata()
	case "output_config":
		p.readOutputConfig()
	case "output_format":
		p.readOutputFormat("output_format")
	case "thinking", "context_management", "cache_control":
		p.noteCacheMark()
		p.readObject(string(p.Name()))
	case "mcp_servers", "container", "inference_geo":
		p.readNativeMember()
	default:
		p.readUnknownMember(anthropicMemberNames)
	}
}

// readObject reads an object or null, and checks nothing else.
func (p *parser) readObject(name string) jsontext.Value {
	v := p.Value()
	if p.Err() == nil && !jsonscan.IsNull(v) && v[0] != '{' {
		p.SetError(errInvalidParam(name, "must be an object"))
	}
	return v
}

// readNativeMember reads a member that only Anthropic can serve: servers that Anthropic
// calls, files that it stores, and the country in which it runs the model.
func (p *parser) readNativeMember() {
	name := string(p.Name())
	if v := p.Value(); p.Err() == nil && !jsonscan.IsBlank(v) {
		p.addNativeOnly(name)
	}
}

// maxStopSequences is far above the number of stop sequences in real requests.
const maxStopSequences = 64

func (p *parser) readStopSequences() {
	if p.skipNull() {
		return
	}
	count := 0
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(errInvalidParam("stop_sequences", "must be an array of strings"))
	}
	for ; p.NextElement(); count++ {
		if v := p.Value(); p.Err() == nil && !jsonscan.IsString(v) {
			p.SetError(errInvalidParam("stop_sequences", "must be an array of strings"))
		}
	}
	if count > maxStopSequences {
		p.SetError(errInvalidParam("stop_sequences", fmt.Sprintf("must have at most %d strings", maxStopSequences)))
	}
}

func (p *parser) readOutputConfig() {
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam("output_config", "must be an object"))
	}
	for p.NextMember() {
		if string(p.Name()) == "format" {
			p.readOutputFormat("output_config.format")
			continue
		}
		p.readUnknownMember([]string{"format", "effort"})
	}
}

// readOutputFormat reads the format of the output. Its schema is part of the prompt.
func (p *parser) readOutputFormat(param string) {
	start := p.markText()
	v := p.readObject(param)
	if p.Err() != nil || jsonscan.IsNull(v) {
		return
	}
	p.countSince(start)
	p.counts.responseFormat = jsonscan.DecodeText(jsonscan.Member(v, "type"))
}
