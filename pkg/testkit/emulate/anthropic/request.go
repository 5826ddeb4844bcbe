package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
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

func (a dialect) serveMessages(c *server.Call) (scripted.Response, *server.Problem) {
	var r messagesRequest
	ask, p := a.readRequest(c, &r)
	if p == nil && r.MaxTokens == nil {
		p = invalidRequestError("max_tokens: Field required")
	}
	if p == nil {
		p = c.ApplyTextDirectives(ask.LastText)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	if most := c.Server.Options().Context; ask.CountTokens() > most {
		return scripted.Response{}, invalidRequestError(fmt.Sprintf("prompt is too long: %d tokens > %d maximum", ask.CountTokens(), most))
	}
	said := c.ComposeResponse(ask)
	if r.Stream {
		return addHeaders(c, scripted.Stream(encodeMessagesEvents(c, &r, said)...)), nil
	}
	return respondJSON(c, newMessagesResponse(c, &r, said)), nil
}

func (a dialect) serveCount(c *server.Call) (scripted.Response, *server.Problem) {
	var r messagesRequest
	ask, p := a.readRequest(c, &r)
	if p == nil {
		p = c.ApplyTextDirectives(ask.LastText)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	return respondJSON(c, map[string]int64{"input_tokens": ask.CountTokens()}), nil
}

func (a dialect) readRequest(c *server.Call, r *messagesRequest) (*server.Prompt, *server.Problem) {
	field, unknown, err := server.DecodeStrict(c.Body, r)
	switch {
	case err == nil:
	case unknown:
		return nil, invalidRequestError(field + ": Extra inputs are not permitted")
	case field != "":
		return nil, invalidRequestError(field + ": Input has the wrong type")
	default:
		return nil, c.FindProblem("400")
	}
	c.Stream = r.Stream
	if r.Model == "" {
		return nil, invalidRequestError("model: Field required")
	}
	if p := c.ReadModelDirectives(r.Model); p != nil {
		return nil, p
	}
	if !c.Server.ServesModel(c.Model) {
		return nil, c.FindProblem("404")
	}
	m := parseClaude(c.Model)
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
func (r *messagesRequest) readPrompt(m claude) (*server.Prompt, string) {
	ask := &server.Prompt{Stops: r.StopSequences, Think: r.wantsThinking()}
	if r.MaxTokens != nil {
		ask.MaxOutput = *r.MaxTokens
	}
	if o := r.OutputConfig; o != nil && o.Format != nil {
		ask.Schema = o.Format.Schema
	}
	if t := r.ToolChoice; t != nil {
		ask.Choice = server.Choice{Never: t.Type == "none", Must: t.Type == "any" || t.Type == "tool", Single: t.Disabled}
		if t.Name != "" {
			ask.Choice.Only = []string{t.Name}
		}
	}
	for _, t := range r.Tools {
		ask.Tools = append(ask.Tools, server.Tool{Name: t.Name, Schema: t.InputSchema})
		ask.AddText("tool", t.Name+t.Description+string(t.InputSchema))
		addBreakpoint(ask, t.CacheControl)
	}
	conversation := &conversation{request: r, model: m, ask: ask}
	if problem := conversation.readMessages(); problem != "" {
		return nil, problem
	}
	addBreakpoint(ask, r.CacheControl)
	if ask.CountMarks() > 4 {
		return nil, fmt.Sprintf("A maximum of 4 blocks with cache_control may be provided. Found %d.", ask.CountMarks())
	}
	return ask, ""
}

func addBreakpoint(p *server.Prompt, c *cacheControl) {
	if c != nil {
		p.AddMark(c.TTL == "1h")
	}
}

func (r *messagesRequest) wantsThinking() bool {
	return r.Thinking != nil && (r.Thinking.Type == "enabled" || r.Thinking.Type == "adaptive")
}
