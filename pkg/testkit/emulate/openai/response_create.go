package openai

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

type responseRequest struct {
	Model    string `json:"model"`
	Input    string `json:"input"`
	Stream   bool   `json:"stream"`
	Store    *bool  `json:"store"`
	Previous string `json:"previous_response_id"`
}

func (d storeDialect) create(c *server.Call) (scripted.Response, *server.Problem) {
	var r responseRequest
	if json.Unmarshal(c.Body, &r) != nil {
		return scripted.Response{}, c.FindProblem("400")
	}
	c.Stream = r.Stream
	if p := checkModel(c, r.Model, writer{}); p != nil {
		return scripted.Response{}, p
	}
	said, p := d.conversation(c, &r)
	if p == nil {
		p = c.ApplyTextDirectives(r.Input)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	created := &storedResponse{said: said, fields: d.describe(c, &r, said)}
	if r.Store == nil || *r.Store {
		d.store.put(c, "resp_"+c.ID, created)
	}
	if r.Stream {
		return addHeaders(c, scripted.Stream(created.events(c)...)), nil
	}
	return respondJSON(c, created.fields), nil
}

// conversation returns the inputs of all turns, oldest first.
func (d storeDialect) conversation(c *server.Call, r *responseRequest) ([]string, *server.Problem) {
	if r.Previous == "" {
		return []string{r.Input}, nil
	}
	previous := d.store.get(c, r.Previous)
	if previous == nil {
		return nil, invalidFieldError("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", r.Previous)
	}
	return append(append([]string(nil), previous.said...), r.Input), nil
}

// describe returns the members of a complete response.
func (d storeDialect) describe(c *server.Call, r *responseRequest, said []string) map[string]any {
	ask := &server.Prompt{LastText: strings.Join(said, " and ")}
	for _, text := range said {
		ask.AddText("user", text)
	}
	answer := c.ComposeResponse(ask)
	var previous any
	if r.Previous != "" {
		previous = r.Previous
	}
	u := answer.Usage
	return map[string]any{
		"id": "resp_" + c.ID, "object": "response", "created_at": server.CreatedAt, "status": "completed", "background": false,
		"error": nil, "incomplete_details": nil, "instructions": nil, "max_output_tokens": nil, "model": c.Model,
		"output": []any{outputMessage(c, answer.Text)}, "parallel_tool_calls": true, "previous_response_id": previous,
		"reasoning": map[string]any{"effort": nil, "summary": nil}, "store": r.Store == nil || *r.Store, "temperature": 1.0,
		"text": map[string]any{"format": map[string]any{"type": "text"}}, "tool_choice": "auto", "tools": []any{}, "top_p": 1.0,
		"truncation": "disabled", "metadata": map[string]any{},
		"usage": map[string]any{
			"input_tokens": u.Input + u.CacheRead, "input_tokens_details": map[string]any{"cached_tokens": u.CacheRead},
			"output_tokens": u.Output, "output_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
			"total_tokens": u.Input + u.CacheRead + u.Output,
		},
	}
}

func outputMessage(c *server.Call, text string) map[string]any {
	return map[string]any{
		"id": "msg_" + c.ID, "type": "message", "status": "completed", "role": "assistant",
		"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}},
	}
}

// events returns the stream of a response.
func (r *storedResponse) events(c *server.Call) (frames []string) {
	add := func(kind string, members map[string]any) {
		members["type"], members["sequence_number"] = kind, len(frames)
		frames = append(frames, "event: "+kind+"\ndata: "+server.EncodeJSON(members)+"\n\n")
	}
	began := maps.Clone(r.fields)
	began["status"], began["output"], began["usage"] = "in_progress", []any{}, nil
	add("response.created", map[string]any{"response": began})
	add("response.in_progress", map[string]any{"response": began})
	item := r.fields["output"].([]any)[0].(map[string]any)               //nolint:forcetypeassert // describe has set it
	text := item["content"].([]any)[0].(map[string]any)["text"].(string) //nolint:forcetypeassert // describe has set it
	at := func(more map[string]any) map[string]any {
		more["item_id"], more["output_index"], more["content_index"] = item["id"], 0, 0
		return more
	}
	started := maps.Clone(item)
	started["status"], started["content"] = "in_progress", []any{}
	empty := map[string]any{"type": "output_text", "text": "", "annotations": []any{}, "logprobs": []any{}}
	add("response.output_item.added", map[string]any{"output_index": 0, "item": started})
	add("response.content_part.added", at(map[string]any{"part": empty}))
	for _, piece := range c.SplitForStream(text) {
		add("response.output_text.delta", at(map[string]any{"delta": piece, "logprobs": []any{}}))
	}
	add("response.output_text.done", at(map[string]any{"text": text, "logprobs": []any{}}))
	add("response.content_part.done", at(map[string]any{"part": item["content"].([]any)[0]})) //nolint:forcetypeassert // describe has set it
	add("response.output_item.done", map[string]any{"output_index": 0, "item": item})
	add("response.completed", map[string]any{"response": r.fields})
	return frames
}
