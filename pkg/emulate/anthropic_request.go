package emulate

import (
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// messagesRequest has the fields of the Messages API. Requests with other fields are rejected.
type messagesRequest struct {
	Model     string            `json:"model"`
	MaxTokens *int64            `json:"max_tokens"`
	Messages  []messagesMessage `json:"messages"`
	System    json.RawMessage   `json:"system"`
	Metadata  *struct {
		UserID *string `json:"user_id"`
	} `json:"metadata"`
	StopSequences []string        `json:"stop_sequences"`
	Stream        bool            `json:"stream"`
	Temperature   *float64        `json:"temperature"`
	TopP          *float64        `json:"top_p"`
	TopK          *int            `json:"top_k"`
	Tools         []messagesTool  `json:"tools"`
	ToolChoice    *messagesChoice `json:"tool_choice"`
	Thinking      *messagesThink  `json:"thinking"`
	OutputConfig  *struct {
		Effort string `json:"effort"`
		Format *struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	CacheControl *cacheControl `json:"cache_control"`

	ServiceTier       json.RawMessage `json:"service_tier"`
	Container         json.RawMessage `json:"container"`
	MCPServers        json.RawMessage `json:"mcp_servers"`
	ContextManagement json.RawMessage `json:"context_management"`
	InferenceGeo      json.RawMessage `json:"inference_geo"`
	Speed             json.RawMessage `json:"speed"`
}

type messagesMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type messagesTool struct {
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Strict       *bool           `json:"strict"`
	CacheControl *cacheControl   `json:"cache_control"`

	InputExamples json.RawMessage `json:"input_examples"`
	Eager         json.RawMessage `json:"eager_input_streaming"`
	Defer         json.RawMessage `json:"defer_loading"`
	Callers       json.RawMessage `json:"allowed_callers"`
	MaxUses       json.RawMessage `json:"max_uses"`
}

type messagesChoice struct {
	Type     string `json:"type"`
	Name     string `json:"name"`
	Disabled bool   `json:"disable_parallel_tool_use"`
}

type messagesThink struct {
	Type    string `json:"type"`
	Budget  *int64 `json:"budget_tokens"`
	Display string `json:"display"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

func (a anthropic) serveMessages(c *call) (scripted.Response, *problem) {
	var r messagesRequest
	ask, p := a.readRequest(c, &r)
	if p == nil && r.MaxTokens == nil {
		p = invalidRequestError("max_tokens: Field required")
	}
	if p != nil {
		return scripted.Response{}, p
	}
	if p := c.applyTextDirectives(ask.lastText); p != nil {
		return scripted.Response{}, p
	}
	if most := c.server.options.Context; ask.countTokens() > most {
		return scripted.Response{}, invalidRequestError(fmt.Sprintf("prompt is too long: %d tokens > %d maximum", ask.countTokens(), most))
	}
	said := c.composeResponse(ask)
	if r.Stream {
		return c.anthropicHeaders(scripted.Stream(encodeMessagesEvents(c, &r, said)...)), nil
	}
	return c.anthropicJSON(newMessagesResponse(c, &r, said)), nil
}

func (a anthropic) serveCount(c *call) (scripted.Response, *problem) {
	var r messagesRequest
	ask, p := a.readRequest(c, &r)
	if p == nil {
		p = c.applyTextDirectives(ask.lastText)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	return c.anthropicJSON(map[string]int64{"input_tokens": ask.countTokens()}), nil
}

func (a anthropic) readRequest(c *call, r *messagesRequest) (*prompt, *problem) {
	field, unknown, err := decodeStrict(c.body, r)
	switch {
	case err == nil:
	case unknown:
		return nil, invalidRequestError(field + ": Extra inputs are not permitted")
	case field != "":
		return nil, invalidRequestError(field + ": Input has the wrong type")
	default:
		return nil, c.findProblem("400")
	}
	c.stream = r.Stream
	if r.Model == "" {
		return nil, invalidRequestError("model: Field required")
	}
	if p := c.readModelDirectives(r.Model); p != nil {
		return nil, p
	}
	if !c.server.servesModel(c.model) {
		return nil, c.findProblem("404")
	}
	m := parseClaude(c.model)
	if problem := r.check(m); problem != "" {
		return nil, invalidRequestError(problem)
	}
	ask, problem := r.readPrompt(m)
	if problem != "" {
		return nil, invalidRequestError(problem)
	}
	return ask, nil
}

// readPrompt converts the request to a prompt and validates the messages. The second result is an error
// message, or an empty string.
func (r *messagesRequest) readPrompt(m claude) (*prompt, string) {
	ask := &prompt{stops: r.StopSequences, think: r.wantsThinking()}
	if r.MaxTokens != nil {
		ask.maxOutput = *r.MaxTokens
	}
	if o := r.OutputConfig; o != nil && o.Format != nil {
		ask.schema = o.Format.Schema
	}
	if t := r.ToolChoice; t != nil {
		ask.choice = choice{noTools: t.Type == "none", required: t.Type == "any" || t.Type == "tool", oneCall: t.Disabled}
		if t.Name != "" {
			ask.choice.allowed = []string{t.Name}
		}
	}
	for _, t := range r.Tools {
		ask.tools = append(ask.tools, tool{t.Name, t.InputSchema})
		ask.addText("tool", t.Name+t.Description+string(t.InputSchema))
		ask.addBreakpoint(t.CacheControl)
	}
	conversation := &conversation{request: r, model: m, ask: ask}
	if problem := conversation.readMessages(); problem != "" {
		return nil, problem
	}
	ask.addBreakpoint(r.CacheControl)
	if len(ask.marks) > 4 {
		return nil, fmt.Sprintf("A maximum of 4 blocks with cache_control may be provided. Found %d.", len(ask.marks))
	}
	return ask, ""
}

func (p *prompt) addBreakpoint(c *cacheControl) {
	if c != nil {
		p.addMark(c.TTL == "1h")
	}
}

func (r *messagesRequest) wantsThinking() bool {
	return r.Thinking != nil && (r.Thinking.Type == "enabled" || r.Thinking.Type == "adaptive")
}
