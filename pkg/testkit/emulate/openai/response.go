package openai

import (
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// writer encodes responses of OpenAI and Azure. Azure adds the results of its content filter.
type writer struct {
	azure bool
	// deployment is the name of the deployment in an Azure path. It replaces the model of the body.
	deployment string
}

type chatResponse struct {
	ID            string          `json:"id"`
	Object        string          `json:"object"`
	Created       int64           `json:"created"`
	Model         string          `json:"model"`
	Choices       []chatChoice    `json:"choices"`
	Usage         json.RawMessage `json:"usage,omitempty"`
	ServiceTier   string          `json:"service_tier,omitempty"`
	Fingerprint   string          `json:"system_fingerprint"`
	PromptFilters json.RawMessage `json:"prompt_filter_results,omitempty"`
}

type chatChoice struct {
	Index   int             `json:"index"`
	Message any             `json:"message,omitempty"`
	Delta   any             `json:"delta,omitempty"`
	Logs    json.RawMessage `json:"logprobs"`
	Finish  *string         `json:"finish_reason"`
	Filters json.RawMessage `json:"content_filter_results,omitempty"`
}

type chatResponseMessage struct {
	Role        string         `json:"role,omitempty"`
	Content     *string        `json:"content"`
	Refusal     *string        `json:"refusal"`
	Annotations []struct{}     `json:"annotations"`
	ToolCalls   []chatToolCall `json:"tool_calls,omitempty"`
}

// chatToolCall is a tool call. Index is set only in streams.
type chatToolCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

var finishReasons = map[server.Finish]string{server.Finished: "stop", server.Stopped: "stop", server.Full: "length", server.Calling: "tool_calls", server.Blocked: "content_filter"}

const (
	azureUnfiltered = `{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}`
	azurePrompts    = `[{"prompt_index":0,"content_filter_results":` + azureUnfiltered + `}]`
)

func (w writer) encodeResponse(c *server.Call, r *chatRequest, said *server.ModelResponse) scripted.Response {
	if r.Stream {
		return addHeaders(c, scripted.Stream(w.encodeEvents(c, r, said)...))
	}
	body := w.newHead(c, "chat.completion")
	if w.azure {
		body.PromptFilters = json.RawMessage(azurePrompts)
	}
	for i := range said.Responses {
		body.Choices = append(body.Choices, w.newChoice(c, said, i))
	}
	if !c.Directives.Has("usageless") {
		body.Usage = json.RawMessage(server.EncodeJSON(encodeUsage(said.Usage)))
	}
	return respondJSON(c, body)
}

func (w writer) newHead(c *server.Call, object string) chatResponse {
	a := chatResponse{
		ID: "chatcmpl-" + c.ID, Object: object, Created: server.CreatedAt, Model: c.Model, Choices: []chatChoice{}, ServiceTier: "default", Fingerprint: "fp_emulated",
	}
	if w.azure {
		// Azure returns the dated name of a model, not the name of the deployment.
		a.Model, a.ServiceTier = c.Model+"-2026-01-01", ""
	}
	return a
}

func (w writer) newChoice(c *server.Call, said *server.ModelResponse, i int) chatChoice {
	m := chatResponseMessage{Role: "assistant", Annotations: []struct{}{}}
	if said.Text != "" || len(said.Calls) == 0 {
		m.Content = &said.Text
	}
	for k, t := range said.Calls {
		m.ToolCalls = append(m.ToolCalls, chatToolCall{ID: toolCallID(c, k), Type: "function", Function: chatFunction{t.Name, t.Args}})
	}
	finish := finishReasons[said.Finish]
	ch := chatChoice{Index: i, Message: m, Finish: &finish}
	if w.azure {
		ch.Filters = json.RawMessage(azureUnfiltered)
	}
	return ch
}

func toolCallID(c *server.Call, k int) string { return fmt.Sprintf("call_%s_%d", c.ID, k) }

// encodeUsage returns OpenAI's token counts. The prompt tokens include cached tokens, and the
// completion tokens include reasoning tokens.
func encodeUsage(u server.Usage) any {
	prompt := u.Input + u.CacheRead + u.CacheWrite
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": u.Output, "total_tokens": prompt + u.Output,
		"prompt_tokens_details": map[string]int64{"cached_tokens": u.CacheRead, "audio_tokens": 0},
		"completion_tokens_details": map[string]int64{
			"reasoning_tokens": u.Reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
		},
	}
}

func (w writer) encodeEvents(c *server.Call, r *chatRequest, said *server.ModelResponse) []string {
	// Mistral sends usage even if the request does not ask for it.
	asked := c.Server.Options().Strict || r.StreamOptions != nil && r.StreamOptions.IncludeUsage
	asked = asked && !c.Directives.Has("usageless")
	var all []string
	add := func(a chatResponse) { all = append(all, "data: "+server.EncodeJSON(a)+"\n\n") }
	send := func(i int, delta any, finish *string) {
		a := w.newHead(c, "chat.completion.chunk")
		ch := chatChoice{Index: i, Delta: delta, Finish: finish}
		if w.azure {
			ch.Filters = json.RawMessage(azureUnfiltered)
		}
		a.Choices = append(a.Choices, ch)
		if asked {
			a.Usage = json.RawMessage("null")
		}
		add(a)
	}
	if w.azure {
		add(chatResponse{Choices: []chatChoice{}, PromptFilters: json.RawMessage(azurePrompts)})
	}
	for i := range said.Responses {
		w.sendDeltas(c, said, func(delta any, finish *string) { send(i, delta, finish) })
	}
	if asked {
		a := w.newHead(c, "chat.completion.chunk")
		a.Usage = json.RawMessage(server.EncodeJSON(encodeUsage(said.Usage)))
		add(a)
	}
	return append(all, "data: [DONE]\n\n")
}

func (w writer) sendDeltas(c *server.Call, said *server.ModelResponse, send func(delta any, finish *string)) {
	first := map[string]any{"role": "assistant", "content": "", "refusal": nil}
	if len(said.Calls) > 0 && said.Text == "" {
		first["content"] = nil
	}
	send(first, nil)
	for _, piece := range c.SplitForStream(said.Text) {
		send(map[string]string{"content": piece}, nil)
	}
	for k, t := range said.Calls {
		made := func(m chatToolCall) { m.Index = &k; send(map[string][]chatToolCall{"tool_calls": {m}}, nil) }
		made(chatToolCall{ID: toolCallID(c, k), Type: "function", Function: chatFunction{Name: t.Name}})
		for _, piece := range server.SplitText(t.Args) {
			made(chatToolCall{Function: chatFunction{Arguments: piece}})
		}
	}
	finish := finishReasons[said.Finish]
	send(struct{}{}, &finish)
}
