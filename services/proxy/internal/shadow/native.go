package shadow

import (
	"encoding/json"
	"strings"
)

// nativeResponse has the members of a complete response in the protocol of a vendor that the
// judge reads: Content of Anthropic's Messages, Output of OpenAI's Responses, Candidates of
// Google's Gemini.
type nativeResponse struct {
	Content    []nativePart `json:"content"`
	StopReason string       `json:"stop_reason"`
	Output     []struct {
		nativePart
		Content []nativePart `json:"content"`
	} `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Candidates []struct {
		Content struct {
			Parts []nativePart `json:"parts"`
		} `json:"content"`
		FinishReason string `json:"finishReason"`
	} `json:"candidates"`
}

// nativePart is a text or a call of a tool. Other parts, such as reasoning, are not compared.
type nativePart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
	Thought bool   `json:"thought"`
	// Name with Input or Arguments is a call. Gemini has it in FunctionCall.
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	Arguments    string          `json:"arguments"`
	FunctionCall *struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
}

// write appends the text of a part as message.text does.
func (p *nativePart) write(b *strings.Builder) {
	switch {
	case p.Thought:
	case p.FunctionCall != nil:
		writeCall(b, p.FunctionCall.Name, string(p.FunctionCall.Args))
	case p.Type == "tool_use":
		writeCall(b, p.Name, string(p.Input))
	case p.Type == "function_call":
		writeCall(b, p.Name, p.Arguments)
	case p.Type == "", p.Type == "text", p.Type == "output_text", p.Type == "refusal":
		b.WriteString(p.Text + p.Refusal)
	}
}

func writeCall(b *strings.Builder, name, arguments string) {
	b.WriteString("\n[calls the tool " + name + " with " + arguments + "]")
}

// parseServed reads the response that the client got. A captured stream is a chat completion in
// every protocol.
func parseServed(body []byte) (completion, bool) {
	if c, ok := parseCompletion(body); ok {
		return c, true
	}
	var r nativeResponse
	if json.Unmarshal(body, &r) != nil {
		return completion{}, false
	}
	parts, reason := r.parts()
	var b strings.Builder
	for i := range parts {
		parts[i].write(&b)
	}
	isTruncated := reason == "max_tokens" || reason == "max_output_tokens" || reason == "MAX_TOKENS"
	return completion{cut(b.String(), maxResponse), isTruncated}, len(parts) > 0
}

// parts returns the parts of a response in their order, and why it ended.
func (r *nativeResponse) parts() (all []nativePart, reason string) {
	if len(r.Candidates) > 0 {
		return r.Candidates[0].Content.Parts, r.Candidates[0].FinishReason
	}
	all = r.Content
	for i := range r.Output {
		all = append(append(all, r.Output[i].nativePart), r.Output[i].Content...)
	}
	return all, r.StopReason + r.Incomplete.Reason
}
