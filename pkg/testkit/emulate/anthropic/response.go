package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

type messagesResponse struct {
	Model        string          `json:"model"`
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Role         string          `json:"role"`
	Content      []any           `json:"content"`
	StopReason   *string         `json:"stop_reason"`
	StopSequence *string         `json:"stop_sequence"`
	StopDetails  json.RawMessage `json:"stop_details"`
	Usage        any             `json:"usage,omitempty"`
}

var stopReasons = map[server.Finish]string{server.Finished: "end_turn", server.Stopped: "stop_sequence", server.Full: "max_tokens", server.Calling: "tool_use", server.Blocked: "refusal"}

// refusalDetails explains why the content filter stopped a response.
const refusalDetails = `{"type":"refusal","category":"general_harms","explanation":"This request was blocked under the usage policy."}`

func newMessagesResponse(c *server.Call, r *messagesRequest, said *server.ModelResponse) messagesResponse {
	m := newMessagesHead(c)
	for _, b := range newMessagesBlocks(c, r, said) {
		m.Content = append(m.Content, b.whole)
	}
	m.setEnd(said)
	if !c.Directives.Has("usageless") {
		m.Usage = encodeMessagesUsage(said.Usage, true)
	}
	return m
}

func newMessagesHead(c *server.Call) messagesResponse {
	return messagesResponse{Model: c.Model, ID: "msg_" + c.ID, Type: "message", Role: "assistant", Content: []any{}, StopDetails: json.RawMessage("null")}
}

func (m *messagesResponse) setEnd(said *server.ModelResponse) {
	reason := stopReasons[said.Finish]
	m.StopReason = &reason
	if said.Finish == server.Stopped {
		m.StopSequence = &said.Stop
	}
	if said.Finish == server.Blocked {
		m.StopDetails = json.RawMessage(refusalDetails)
	}
}

// encodeMessagesUsage returns Anthropic's token counts. The input tokens do not include cached input.
func encodeMessagesUsage(u server.Usage, whole bool) map[string]any {
	all := map[string]any{
		"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": u.Output,
	}
	if whole {
		all["cache_creation"] = map[string]int64{
			"ephemeral_5m_input_tokens": u.CacheWrite - u.CacheWrite1h, "ephemeral_1h_input_tokens": u.CacheWrite1h,
		}
		all["service_tier"] = "standard"
	}
	if u.Reasoning > 0 {
		all["output_tokens_details"] = map[string]int64{"thinking_tokens": u.Reasoning}
	}
	return all
}

// messagesBlock is a content block of a response: its complete form, and its form as stream events.
type messagesBlock struct {
	whole, start any
	deltas       []any
}

func newMessagesBlocks(c *server.Call, r *messagesRequest, said *server.ModelResponse) []messagesBlock {
	var all []messagesBlock
	if said.Redacted {
		hidden := map[string]any{"type": "redacted_thinking", "data": server.MakeSignature("redacted")}
		all = append(all, messagesBlock{whole: hidden, start: hidden})
	} else if said.Thinking != "" {
		all = append(all, newThinkingBlock(r, said))
	}
	if said.Text != "" {
		b := messagesBlock{whole: map[string]any{"type": "text", "text": said.Text}, start: map[string]any{"type": "text", "text": ""}}
		for _, piece := range c.SplitForStream(said.Text) {
			b.deltas = append(b.deltas, map[string]string{"type": "text_delta", "text": piece})
		}
		all = append(all, b)
	}
	for k, t := range said.Calls {
		all = append(all, newToolUseBlock(fmt.Sprintf("toolu_%s_%d", c.ID, k), t))
	}
	return all
}

func newThinkingBlock(r *messagesRequest, said *server.ModelResponse) messagesBlock {
	shown := said.Thinking
	// The signature covers the shown text, so that clients can also send a hidden thinking block back.
	if r.Thinking.Display == "omitted" {
		shown = ""
	}
	signature := server.MakeSignature("thinking", shown)
	b := messagesBlock{
		whole: map[string]any{"type": "thinking", "thinking": shown, "signature": signature},
		start: map[string]any{"type": "thinking", "thinking": "", "signature": ""},
	}
	for _, piece := range server.SplitText(shown) {
		b.deltas = append(b.deltas, map[string]string{"type": "thinking_delta", "thinking": piece})
	}
	b.deltas = append(b.deltas, map[string]string{"type": "signature_delta", "signature": signature})
	return b
}

func newToolUseBlock(id string, t server.ToolCall) messagesBlock {
	b := messagesBlock{
		whole: map[string]any{"type": "tool_use", "id": id, "name": t.Name, "input": json.RawMessage(t.Args)},
		start: map[string]any{"type": "tool_use", "id": id, "name": t.Name, "input": struct{}{}},
	}
	// The first fragment is always empty. If there are no arguments, it is the only fragment.
	args := []string{""}
	if t.Args != "{}" {
		args = append(args, server.SplitText(t.Args)...)
	}
	for _, piece := range args {
		b.deltas = append(b.deltas, map[string]string{"type": "input_json_delta", "partial_json": piece})
	}
	return b
}

func encodeMessagesEvents(c *server.Call, r *messagesRequest, said *server.ModelResponse) []string {
	var all []string
	send := func(name string, fields map[string]any) {
		fields["type"] = name
		all = append(all, "event: "+name+"\ndata: "+server.EncodeJSON(fields)+"\n\n")
	}
	head := newMessagesHead(c)
	start := said.Usage
	start.Output, start.Reasoning = 1, 0
	head.Usage = encodeMessagesUsage(start, true)
	send("message_start", map[string]any{"message": head})
	for i, b := range newMessagesBlocks(c, r, said) {
		send("content_block_start", map[string]any{"index": i, "content_block": b.start})
		if i == 0 {
			send("ping", map[string]any{})
		}
		for _, d := range b.deltas {
			send("content_block_delta", map[string]any{"index": i, "delta": d})
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	head.setEnd(said)
	end := map[string]any{
		"delta": map[string]any{"stop_reason": head.StopReason, "stop_sequence": head.StopSequence, "stop_details": head.StopDetails},
	}
	if !c.Directives.Has("usageless") {
		end["usage"] = encodeMessagesUsage(said.Usage, false)
	}
	send("message_delta", end)
	send("message_stop", map[string]any{})
	return all
}
