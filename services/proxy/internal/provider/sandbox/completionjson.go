package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

type completionJSON struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []choiceJSON `json:"choices"`
	Usage   *usage       `json:"usage,omitzero"`
}

// choiceJSON is one choice. It has a Message in a complete response and a Delta in a chunk.
type choiceJSON struct {
	Index   int          `json:"index"`
	Message *messageJSON `json:"message,omitzero"`
	Delta   *messageJSON `json:"delta,omitzero"`
	Finish  *string      `json:"finish_reason"`
}

type messageJSON struct {
	Role      string         `json:"role,omitzero"`
	Content   *string        `json:"content,omitzero"`
	ToolCalls []toolCallJSON `json:"tool_calls,omitzero"`
}

type toolCallJSON struct {
	// Index is set only in deltas.
	Index    *int   `json:"index,omitzero"`
	ID       string `json:"id,omitzero"`
	Type     string `json:"type,omitzero"`
	Function struct {
		Name      string `json:"name,omitzero"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func (a *response) newCompletion(object string, choices ...choiceJSON) completionJSON {
	if choices == nil {
		choices = []choiceJSON{}
	}
	return completionJSON{ID: a.id, Object: object, Created: time.Now().Unix(), Model: a.model, Choices: choices}
}

// encodeCompletion returns the complete response as one body.
func (a *response) encodeCompletion() ([]byte, error) {
	message := messageJSON{Role: "assistant"}
	if len(a.calls) == 0 {
		text := strings.Join(a.pieces, "")
		message.Content = &text
	}
	for _, c := range a.calls {
		out := toolCallJSON{ID: c.id, Type: "function"}
		out.Function.Name, out.Function.Arguments = c.name, c.arguments
		message.ToolCalls = append(message.ToolCalls, out)
	}
	e := a.newCompletion("chat.completion", choiceJSON{Message: &message, Finish: &a.finish})
	e.Usage = &a.usage
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode sandbox response: %w", err)
	}
	return b, nil
}

// encodeOrEmpty encodes v. If this fails, it returns an empty object, so that the response
// stays valid JSON. It never fails for the values that the sandbox uses.
func encodeOrEmpty(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "{}"
	}
	return string(b)
}
