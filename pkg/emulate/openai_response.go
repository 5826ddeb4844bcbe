package emulate

import (
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// openaiWriter encodes responses of OpenAI and Azure. Azure adds the results of its content filter.
type openaiWriter struct {
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

var openaiFinish = map[finish]string{finished: "stop", stopped: "stop", atTokenLimit: "length", calling: "tool_calls", blocked: "content_filter"}

const (
	azureUnfiltered = `{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}`
	azurePrompts    = `[{"prompt_index":0,"content_filter_results":` + azureUnfiltered + `}]`
)

func (w openaiWriter) encodeResponse(c *call, r *chatRequest, said *modelResponse) scripted.Response {
	if r.Stream {
		return c.openaiHeaders(scripted.Stream(w.encodeEvents(c, r, said)...))
	}
	body := w.newHead(c, "chat.completion")
	if w.azure {
		body.PromptFilters = json.RawMessage(azurePrompts)
	}
	for i := range said.choiceCount {
		body.Choices = append(body.Choices, w.newChoice(c, said, i))
	}
	if !c.directives.has("usageless") {
		body.Usage = json.RawMessage(encodeJSON(encodeOpenAIUsage(said.usage)))
	}
	return c.openaiJSON(body)
}

func (w openaiWriter) newHead(c *call, object string) chatResponse {
	a := chatResponse{
		ID: "chatcmpl-" + c.id, Object: object, Created: createdAt, Model: c.model, Choices: []chatChoice{}, ServiceTier: "default", Fingerprint: "fp_emulated",
	}
	if w.azure {
		// Azure returns the dated name of a model, not the name of the deployment.
		a.Model, a.ServiceTier = c.model+"-2026-01-01", ""
	}
	return a
}

func (w openaiWriter) newChoice(c *call, said *modelResponse, i int) chatChoice {
	m := chatResponseMessage{Role: "assistant", Annotations: []struct{}{}}
	if said.text != "" || len(said.calls) == 0 {
		m.Content = &said.text
	}
	for k, t := range said.calls {
		m.ToolCalls = append(m.ToolCalls, chatToolCall{ID: c.openaiCallID(k), Type: "function", Function: chatFunction{t.name, t.args}})
	}
	finish := openaiFinish[said.finish]
	ch := chatChoice{Index: i, Message: m, Finish: &finish}
	if w.azure {
		ch.Filters = json.RawMessage(azureUnfiltered)
	}
	return ch
}

func (c *call) openaiCallID(k int) string { return fmt.Sprintf("call_%s_%d", c.id, k) }

// encodeOpenAIUsage returns OpenAI's token counts. The prompt tokens include cached tokens, and the
// completion tokens include reasoning tokens.
func encodeOpenAIUsage(u Usage) any {
	prompt := u.Input + u.CacheRead + u.CacheWrite
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": u.Output, "total_tokens": prompt + u.Output,
		"prompt_tokens_details": map[string]int64{"cached_tokens": u.CacheRead, "audio_tokens": 0},
		"completion_tokens_details": map[string]int64{
			"reasoning_tokens": u.Reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
		},
	}
}

func (w openaiWriter) encodeEvents(c *call, r *chatRequest, said *modelResponse) []string {
	// Mistral sends usage even if the request does not ask for it.
	asked := c.server.options.Strict || r.StreamOptions != nil && r.StreamOptions.IncludeUsage
	asked = asked && !c.directives.has("usageless")
	var all []string
	add := func(a chatResponse) { all = append(all, "data: "+encodeJSON(a)+"\n\n") }
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
	for i := range said.choiceCount {
		w.sendDeltas(c, said, func(delta any, finish *string) { send(i, delta, finish) })
	}
	if asked {
		a := w.newHead(c, "chat.completion.chunk")
		a.Usage = json.RawMessage(encodeJSON(encodeOpenAIUsage(said.usage)))
		add(a)
	}
	return append(all, "data: [DONE]\n\n")
}

func (w openaiWriter) sendDeltas(c *call, said *modelResponse, send func(delta any, finish *string)) {
	first := map[string]any{"role": "assistant", "content": "", "refusal": nil}
	if len(said.calls) > 0 && said.text == "" {
		first["content"] = nil
	}
	send(first, nil)
	for _, piece := range c.splitForStream(said.text) {
		send(map[string]string{"content": piece}, nil)
	}
	for k, t := range said.calls {
		made := func(m chatToolCall) { m.Index = &k; send(map[string][]chatToolCall{"tool_calls": {m}}, nil) }
		made(chatToolCall{ID: c.openaiCallID(k), Type: "function", Function: chatFunction{Name: t.name}})
		for _, piece := range splitText(t.args) {
			made(chatToolCall{Function: chatFunction{Arguments: piece}})
		}
	}
	finish := openaiFinish[said.finish]
	send(struct{}{}, &finish)
}
