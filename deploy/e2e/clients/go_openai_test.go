package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/sashabaranov/go-openai"
)

var goOpenAI = library{
	name: "go-openai", run: inProcess(goOpenAIDo, goOpenAIFailure), kinds: []string{"chat", "stream", "parse", "embed", "models", "model"},
	hides: map[string][]string{"": {"id"}},
	fails: failureStyle{
		class: func(c testCase) string {
			switch {
			case c.failsMidStream() && c.nested:
				return "*fmt.wrapError"
			case c.failsMidStream():
				// It reports an error without its cause.
				return "*json.SyntaxError"
			case c.nested:
				return "*openai.APIError"
			}
			return "*openai.RequestError"
		},
		// It never retries.
		calls:      func(testCase) int { return 1 },
		flat:       shows{status: true, text: true},
		nested:     shows{status: true, code: true, text: true},
		amidNested: shows{code: true, text: true},
	},
}

// withHeaders sets headers as users of this library do.
type withHeaders map[string]string

func (h withHeaders) Do(r *http.Request) (*http.Response, error) {
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultClient.Do(r)
}

func goOpenAIDo(ctx context.Context, a caseInput) (observation, error) {
	config := openai.DefaultConfig(a.Key)
	config.BaseURL, config.HTTPClient = a.BaseURL, withHeaders(a.Headers)
	client := openai.NewClientWithConfig(config)
	switch a.Kind {
	case "stream":
		return goOpenAIStream(ctx, client, goOpenAIParams(a))
	case "embed":
		return goOpenAIEmbed(ctx, client, a)
	case "models":
		list, err := client.ListModels(ctx)
		var s observation
		for _, m := range list.Models {
			s.Models = append(s.Models, m.ID)
		}
		return s, err
	case "model":
		m, err := client.GetModel(ctx, a.Model)
		return observation{Models: []string{m.ID}}, err
	}
	got, err := client.CreateChatCompletion(ctx, goOpenAIParams(a))
	if err != nil {
		return observation{}, err
	}
	s := goOpenAIShown(got)
	if a.Kind == "parse" {
		return parsed(s, nil)
	}
	return s, nil
}

func goOpenAIParams(a caseInput) openai.ChatCompletionRequest {
	p := openai.ChatCompletionRequest{
		Model: a.Model, Messages: []openai.ChatCompletionMessage{{Role: "user", Content: a.Prompt}},
	}
	if a.Tools {
		p.Tools = []openai.Tool{{Type: "function", Function: &openai.FunctionDefinition{Name: "get_weather", Parameters: toolSchema}}}
	}
	if a.Orphans {
		p.ToolChoice, p.ParallelToolCalls = "auto", true
	}
	if a.Kind == "parse" {
		p.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: "json_schema",
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "weather", Schema: schema{}, Strict: true}}
	}
	return p
}

type schema struct{}

func (schema) MarshalJSON() ([]byte, error) { return json.Marshal(weatherSchema) }

func goOpenAIShown(c openai.ChatCompletionResponse) observation {
	m := c.Choices[0].Message
	s := observation{Role: m.Role, Text: m.Content, Finish: string(c.Choices[0].FinishReason), Tokens: int64(c.Usage.TotalTokens)}
	for _, t := range m.ToolCalls {
		s.Calls = append(s.Calls, call{ID: t.ID, Type: string(t.Type), Name: t.Function.Name, Args: arguments(t.Function.Arguments)})
	}
	return s
}

func goOpenAIStream(ctx context.Context, client *openai.Client, p openai.ChatCompletionRequest) (observation, error) {
	stream, err := client.CreateChatCompletionStream(ctx, p)
	if err != nil {
		return observation{}, err
	}
	defer func() { _ = stream.Close() }()
	var f fold
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return f.seen(), nil
		}
		if err != nil {
			return f.seen(), err
		}
		if chunk.Usage != nil {
			f.Tokens += int64(chunk.Usage.TotalTokens)
		}
		c := chunk.Choices[0]
		f.delta(c.Delta.Role, c.Delta.Content, string(c.FinishReason))
		for _, t := range c.Delta.ToolCalls {
			f.call(*t.Index, t.ID, string(t.Type), t.Function.Name, t.Function.Arguments)
		}
	}
}

func goOpenAIEmbed(ctx context.Context, client *openai.Client, a caseInput) (observation, error) {
	got, err := client.CreateEmbeddings(ctx, openai.EmbeddingRequest{Model: openai.EmbeddingModel(a.Model), Input: []string{a.Prompt, "b"}})
	s := observation{Tokens: int64(got.Usage.TotalTokens)}
	for _, d := range got.Data {
		vector := make([]float64, len(d.Embedding))
		for i, v := range d.Embedding {
			vector[i] = float64(v)
		}
		s.Vectors = append(s.Vectors, vector)
	}
	return s, err
}

func goOpenAIFailure(err error) failure {
	f := failure{Class: fmt.Sprintf("%T", err), Message: err.Error()}
	if e, ok := errors.AsType[*openai.APIError](err); ok {
		f.Status = e.HTTPStatusCode
		f.Code, _ = e.Code.(string)
	}
	if e, ok := errors.AsType[*openai.RequestError](err); ok {
		f.Status = e.HTTPStatusCode
	}
	return f
}
