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

type envelope struct {
	ID      string      `json:"id"`
	Object  string      `json:"object"`
	Created int64       `json:"created"`
	Model   string      `json:"model"`
	Choices []choiceOut `json:"choices"`
	Usage   *usage      `json:"usage,omitzero"`
}

// choiceOut has a Message in an answer and a Delta in a chunk.
type choiceOut struct {
	Index   int     `json:"index"`
	Message *speech `json:"message,omitzero"`
	Delta   *speech `json:"delta,omitzero"`
	Finish  *string `json:"finish_reason"`
}

type speech struct {
	Role    string    `json:"role,omitzero"`
	Content *string   `json:"content,omitzero"`
	Calls   []callOut `json:"tool_calls,omitzero"`
}

type callOut struct {
	// Index stands in deltas only.
	Index    *int   `json:"index,omitzero"`
	ID       string `json:"id,omitzero"`
	Type     string `json:"type,omitzero"`
	Function struct {
		Name      string `json:"name,omitzero"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func (a *answer) envelope(object string, choices ...choiceOut) envelope {
	if choices == nil {
		choices = []choiceOut{}
	}
	return envelope{ID: a.id, Object: object, Created: time.Now().Unix(), Model: a.model, Choices: choices}
}

// completion is the whole answer in one body.
func (a *answer) completion() ([]byte, error) {
	said := speech{Role: "assistant"}
	if len(a.calls) == 0 {
		text := strings.Join(a.pieces, "")
		said.Content = &text
	}
	for _, c := range a.calls {
		out := callOut{ID: c.id, Type: "function"}
		out.Function.Name, out.Function.Arguments = c.name, c.arguments
		said.Calls = append(said.Calls, out)
	}
	e := a.envelope("chat.completion", choiceOut{Message: &said, Finish: &a.finish})
	e.Usage = &a.usage
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode the sandbox's answer: %w", err)
	}
	return b, nil
}

// encode is for values that cannot fail to encode; were one to, an empty
// object keeps the answer well-formed.
func encode(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "{}"
	}
	return string(b)
}
