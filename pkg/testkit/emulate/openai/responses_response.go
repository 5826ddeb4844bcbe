package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// object is a JSON object.
type object = map[string]any

// responsesOutput is an item of a response: its form before and after its content, and the events
// between the two.
type responsesOutput struct {
	start, whole object
	events       []object
}

func (r *responsesRequest) encodeResponse(c *server.Call, said *server.ModelResponse) scripted.Response {
	if r.Stream {
		return addHeaders(c, scripted.Stream(r.encodeEvents(c, said)...))
	}
	return respondJSON(c, r.newResponse(c, said, r.listOutput(c, said)))
}

// newResponse returns a response. said is nil while the response is in progress.
func (r *responsesRequest) newResponse(c *server.Call, said *server.ModelResponse, output []responsesOutput) object {
	a := object{
		"id": "resp_" + c.ID, "object": "response", "created_at": server.CreatedAt, "status": "in_progress", "background": false,
		"error": nil, "incomplete_details": nil, "instructions": r.Instructions, "max_output_tokens": r.MaxOutputTokens,
		"max_tool_calls": nil, "model": c.Model, "parallel_tool_calls": r.Parallel == nil || *r.Parallel, "previous_response_id": nil,
		"prompt_cache_key": orNull(r.PromptCacheKey), "reasoning": object{"effort": r.Reasoning.Effort, "summary": r.Reasoning.Summary},
		"safety_identifier": orNull(r.SafetyIdentifier), "service_tier": "default", "store": r.Store == nil || *r.Store, "temperature": 1.0,
		"text": object{"format": object{"type": "text"}, "verbosity": "medium"}, "tool_choice": "auto", "tools": r.Tools,
		"top_logprobs": 0, "top_p": 1.0, "truncation": "disabled", "usage": nil, "user": nil, "metadata": object{},
	}
	items := []object{}
	for _, one := range output {
		items = append(items, one.whole)
	}
	a["output"] = items
	if said == nil {
		return a
	}
	a["status"], a["incomplete_details"] = responseStatus(said)
	if !c.Directives.Has("usageless") {
		a["usage"] = encodeResponsesUsage(said.Usage)
	}
	return a
}

func orNull(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

func responseStatus(said *server.ModelResponse) (status string, details any) {
	switch said.Finish {
	case server.Full:
		return "incomplete", object{"reason": "max_output_tokens"}
	case server.Blocked:
		return "incomplete", object{"reason": "content_filter"}
	}
	return "completed", nil
}

// encodeResponsesUsage returns the token counts. As in a chat, the input includes cached tokens, and the
// output includes reasoning tokens.
func encodeResponsesUsage(u server.Usage) object {
	input := u.Input + u.CacheRead + u.CacheWrite
	return object{
		"input_tokens": input, "input_tokens_details": object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": u.Reasoning}, "total_tokens": input + u.Output,
	}
}

func (r *responsesRequest) listOutput(c *server.Call, said *server.ModelResponse) []responsesOutput {
	var all []responsesOutput
	if said.Thinking != "" {
		all = append(all, r.newReasoning(c, said))
	}
	if said.Text != "" {
		all = append(all, newMessageItem(c, said))
	}
	for k, t := range said.Calls {
		all = append(all, r.newCallItem(c, k, t))
	}
	return all
}

// newReasoning returns the reasoning. Its text is shown only if the request asks for a summary.
func (r *responsesRequest) newReasoning(c *server.Call, said *server.ModelResponse) responsesOutput {
	id := "rs_" + c.ID
	one := responsesOutput{
		start: object{"id": id, "type": "reasoning", "summary": []any{}},
		whole: object{"id": id, "type": "reasoning", "summary": []any{}},
	}
	if slices.Contains(r.Include, encryptedContent) {
		one.start["encrypted_content"] = ""
		one.whole["encrypted_content"] = encryptReasoning(said.Thinking)
	}
	if r.Reasoning.Summary == nil || said.Redacted {
		return one
	}
	part := object{"type": "summary_text", "text": said.Thinking}
	one.whole["summary"] = []any{part}
	one.add("response.reasoning_summary_part.added", object{"summary_index": 0, "part": object{"type": "summary_text", "text": ""}})
	for _, piece := range server.SplitText(said.Thinking) {
		one.add("response.reasoning_summary_text.delta", object{"summary_index": 0, "delta": piece})
	}
	one.add("response.reasoning_summary_text.done", object{"summary_index": 0, "text": said.Thinking})
	one.add("response.reasoning_summary_part.done", object{"summary_index": 0, "part": part})
	return one
}

func newMessageItem(c *server.Call, said *server.ModelResponse) responsesOutput {
	part := func(text string) object {
		return object{"type": "output_text", "annotations": []any{}, "logprobs": []any{}, "text": text}
	}
	item := func(status string, parts ...any) object {
		return object{"id": "msg_" + c.ID, "type": "message", "status": status, "role": "assistant", "content": append([]any{}, parts...)}
	}
	status, _ := responseStatus(said)
	one := responsesOutput{start: item("in_progress"), whole: item(status, part(said.Text))}
	one.add("response.content_part.added", object{"content_index": 0, "part": part("")})
	for _, piece := range c.SplitForStream(said.Text) {
		one.add("response.output_text.delta", object{"content_index": 0, "delta": piece, "logprobs": []any{}})
	}
	one.add("response.output_text.done", object{"content_index": 0, "text": said.Text, "logprobs": []any{}})
	one.add("response.content_part.done", object{"content_index": 0, "part": part(said.Text)})
	return one
}

func (r *responsesRequest) newCallItem(c *server.Call, k int, t server.ToolCall) responsesOutput {
	item := func(status, args string) object {
		call := object{
			"id": fmt.Sprintf("fc_%s_%d", c.ID, k), "type": "function_call", "status": status, "arguments": args,
			"call_id": toolCallID(c, k), "name": t.Name,
		}
		if namespace := r.findNamespace(t.Name); namespace != "" {
			call["namespace"] = namespace
		}
		return call
	}
	one := responsesOutput{start: item("in_progress", ""), whole: item("completed", t.Args)}
	for _, piece := range server.SplitText(t.Args) {
		one.add("response.function_call_arguments.delta", object{"delta": piece})
	}
	one.add("response.function_call_arguments.done", object{"arguments": t.Args, "name": t.Name})
	return one
}

func (one *responsesOutput) add(name string, fields object) {
	fields["type"], fields["item_id"] = name, one.whole["id"]
	one.events = append(one.events, fields)
}

func (r *responsesRequest) encodeEvents(c *server.Call, said *server.ModelResponse) []string {
	var all []string
	send := func(fields object) {
		fields["sequence_number"] = len(all)
		all = append(all, fmt.Sprintf("event: %s\ndata: %s\n\n", fields["type"], server.EncodeJSON(fields)))
	}
	for _, name := range []string{"response.created", "response.in_progress"} {
		send(object{"type": name, "response": r.newResponse(c, nil, nil)})
	}
	output := r.listOutput(c, said)
	for i, one := range output {
		send(object{"type": "response.output_item.added", "output_index": i, "item": one.start})
		for _, event := range one.events {
			event["output_index"] = i
			send(event)
		}
		send(object{"type": "response.output_item.done", "output_index": i, "item": one.whole})
	}
	status, _ := responseStatus(said)
	send(object{"type": "response." + status, "response": r.newResponse(c, said, output)})
	return all
}

// encodeResponsesError encodes a problem as an event of a stream of the Responses API.
func encodeResponsesError(p *server.Problem) string {
	return "event: error\ndata: " + server.EncodeJSON(object{
		"type": "error", "code": p.Code, "message": p.Message, "param": nil, "sequence_number": 0,
	}) + "\n\n"
}
