package shadow

import (
	"encoding/json"
	"strings"
)

const (
	// maxConversation and maxResponse limit what the judge reads, in bytes.
	maxConversation = 48 << 10
	maxResponse     = 24 << 10
)

// message is a message of a chat, as far as the judge reads it.
type message struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	ToolCalls []struct {
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// text returns the text of a message, with its tool calls.
func (m *message) text() string {
	var b strings.Builder
	b.WriteString(contentText(m.Content))
	b.WriteString(m.Refusal)
	for _, call := range m.ToolCalls {
		writeCall(&b, call.Function.Name, call.Function.Arguments)
	}
	return b.String()
}

// contentText returns the text of a content: a string, or a list of parts.
func contentText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &parts) // other content has no text
	for _, part := range parts {
		text += part.Text
	}
	return text
}

// conversationText returns the messages of a request for the judge.
func conversationText(body []byte) string {
	var request struct {
		Messages []message `json:"messages"`
	}
	if json.Unmarshal(body, &request) != nil {
		return ""
	}
	var b strings.Builder
	for i := range request.Messages {
		m := &request.Messages[i]
		b.WriteString("(" + m.Role + ") " + m.text() + "\n")
	}
	return cut(b.String(), maxConversation)
}

// completion is a chat completion with its first choice.
type completion struct {
	text string
	// isTruncated means that the response ended at the limit of output tokens.
	isTruncated bool
}

func parseCompletion(body []byte) (completion, bool) {
	var response struct {
		Choices []struct {
			Message      message `json:"message"`
			FinishReason string  `json:"finish_reason"`
		} `json:"choices"`
	}
	if json.Unmarshal(body, &response) != nil || len(response.Choices) == 0 {
		return completion{}, false
	}
	first := &response.Choices[0]
	return completion{cut(first.Message.text(), maxResponse), first.FinishReason == "length"}, true
}
