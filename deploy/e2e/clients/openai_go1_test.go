package clients

import (
	"context"
	"errors"
	"fmt"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"
	"github.com/openai/openai-go/shared"
)

var openaiGo1 = library{
	name: "openai-go 1.12", run: inProcess(openaiGo1Do, openaiGo1Failure), kinds: everything,
	hides: map[string][]string{"": {"id"}},
	fails: failureStyle{
		class: func(c testCase) string {
			if c.failsMidStream() {
				return "*errors.errorString"
			}
			return "*apierror.Error" // also called openai.Error
		},
		calls:      callsOfVendorLibrary,
		flat:       shows{status: true, header: true, text: true},
		nested:     shows{status: true, code: true, header: true, text: true},
		amidFlat:   shows{text: true},
		amidNested: shows{text: true},
	},
}

func openaiGo1Do(ctx context.Context, a caseInput) (observation, error) {
	options := []option.RequestOption{option.WithBaseURL(a.BaseURL), option.WithAPIKey(a.Key)}
	for name, value := range a.Headers {
		options = append(options, option.WithHeader(name, value))
	}
	client := openai.NewClient(options...)
	switch a.Kind {
	case "stream":
		return openaiGo1Stream(ctx, client, openaiGo1Params(a))
	case "helper":
		return openaiGo1Helper(ctx, client, openaiGo1Params(a))
	case "embed":
		return openaiGo1Embed(ctx, client, a)
	case "models":
		page, err := client.Models.List(ctx)
		if err != nil {
			return observation{}, err
		}
		var s observation
		for _, m := range page.Data {
			s.Models = append(s.Models, m.ID)
		}
		return s, nil
	case "model":
		m, err := client.Models.Get(ctx, a.Model)
		if err != nil {
			return observation{}, err
		}
		return observation{Models: []string{m.ID}}, nil
	}
	got, err := client.Chat.Completions.New(ctx, openaiGo1Params(a))
	if err != nil {
		return observation{}, err
	}
	s := openaiGo1Shown(got)
	if a.Kind == "parse" {
		return parsed(s, nil)
	}
	return s, nil
}

func openaiGo1Params(a caseInput) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model: a.Model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(a.Prompt)},
	}
	if a.Tools {
		p.Tools = []openai.ChatCompletionToolParam{{Function: openai.FunctionDefinitionParam{Name: "get_weather", Parameters: toolSchema}}}
	}
	if a.Orphans {
		p.Tools, p.ParallelToolCalls = []openai.ChatCompletionToolParam{}, openai.Bool(true)
		p.ToolChoice.OfAuto = openai.String("auto")
	}
	if a.Kind == "helper" {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	if a.Kind == "parse" {
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "weather", Schema: weatherSchema, Strict: openai.Bool(true)},
		}
	}
	return p
}

func openaiGo1Shown(c *openai.ChatCompletion) observation {
	m := c.Choices[0].Message
	s := observation{Role: string(m.Role), Text: m.Content, Finish: c.Choices[0].FinishReason, Tokens: c.Usage.TotalTokens}
	for _, t := range m.ToolCalls {
		s.Calls = append(s.Calls, call{ID: t.ID, Type: string(t.Type), Name: t.Function.Name, Args: arguments(t.Function.Arguments)})
	}
	return s
}

func openaiGo1Helper(ctx context.Context, client openai.Client, p openai.ChatCompletionNewParams) (observation, error) {
	stream := client.Chat.Completions.NewStreaming(ctx, p)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			return observation{}, errors.New("the accumulator refused a chunk")
		}
	}
	if err := stream.Err(); err != nil {
		return observation{}, err
	}
	return openaiGo1Shown(&acc.ChatCompletion), nil
}

func openaiGo1Stream(ctx context.Context, client openai.Client, p openai.ChatCompletionNewParams) (observation, error) {
	stream := client.Chat.Completions.NewStreaming(ctx, p)
	var f fold
	for stream.Next() {
		chunk := stream.Current()
		f.Tokens += chunk.Usage.TotalTokens
		c := chunk.Choices[0]
		f.delta(c.Delta.Role, c.Delta.Content, c.FinishReason)
		for _, t := range c.Delta.ToolCalls {
			f.call(int(t.Index), t.ID, t.Type, t.Function.Name, t.Function.Arguments)
		}
	}
	return f.seen(), stream.Err()
}

func openaiGo1Embed(ctx context.Context, client openai.Client, a caseInput) (observation, error) {
	got, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{
		Model: a.Model, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{a.Prompt, "b"}},
	})
	if err != nil {
		return observation{}, err
	}
	s := observation{Tokens: got.Usage.TotalTokens}
	for _, d := range got.Data {
		s.Vectors = append(s.Vectors, d.Embedding)
	}
	return s, nil
}

func openaiGo1Failure(err error) failure {
	f := failure{Class: fmt.Sprintf("%T", err), Message: err.Error()}
	if e, ok := errors.AsType[*openai.Error](err); ok {
		f.Status, f.Code, f.Header = e.StatusCode, e.Code, e.Response.Header.Get("X-Error-Code")
	}
	return f
}
