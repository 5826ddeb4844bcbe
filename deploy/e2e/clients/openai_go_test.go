package clients

import (
	"context"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

var openaiGo = library{
	name: "openai-go", run: inProcess(openaiGoDo, openaiGoFailure), kinds: everything,
	hides: map[string][]string{"": {"id"}},
	fails: failureStyle{
		class: func(c testCase) string {
			switch {
			case c.failsMidStream():
				return "*ssestream.StreamError"
			case c.nested:
				return "*apierror.Error" // also called openai.Error
			}
			// It cannot decode the flat format and loses the status.
			return "*json.UnmarshalTypeError"
		},
		calls:      callsOfVendorLibrary,
		nested:     shows{status: true, code: true, header: true, text: true},
		amidFlat:   shows{text: true},
		amidNested: shows{text: true},
	},
}

func openaiGoDo(ctx context.Context, a caseInput) (observation, error) {
	options := []option.RequestOption{option.WithBaseURL(a.BaseURL), option.WithAPIKey(a.Key)}
	for name, value := range a.Headers {
		options = append(options, option.WithHeader(name, value))
	}
	client := openai.NewClient(options...)
	switch a.Kind {
	case "stream":
		return openaiGoStream(ctx, client, openaiGoParams(a))
	case "helper":
		return openaiGoHelper(ctx, client, openaiGoParams(a))
	case "embed":
		return openaiGoEmbed(ctx, client, a)
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
	got, err := client.Chat.Completions.New(ctx, openaiGoParams(a))
	if err != nil {
		return observation{}, err
	}
	s := openaiGoShown(got)
	if a.Kind == "parse" {
		return parsed(s, nil)
	}
	return s, nil
}

func openaiGoParams(a caseInput) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model: a.Model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(a.Prompt)},
	}
	if a.Tools {
		p.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(
			openai.FunctionDefinitionParam{Name: "get_weather", Parameters: toolSchema})}
	}
	if a.Orphans {
		p.Tools, p.ParallelToolCalls = []openai.ChatCompletionToolUnionParam{}, openai.Bool(true)
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

func openaiGoShown(c *openai.ChatCompletion) observation {
	m := c.Choices[0].Message
	s := observation{Role: string(m.Role), Text: m.Content, Finish: c.Choices[0].FinishReason, Tokens: c.Usage.TotalTokens}
	for _, t := range m.ToolCalls {
		s.Calls = append(s.Calls, call{ID: t.ID, Type: t.Type, Name: t.Function.Name, Args: arguments(t.Function.Arguments)})
	}
	return s
}

func openaiGoHelper(ctx context.Context, client openai.Client, p openai.ChatCompletionNewParams) (observation, error) {
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
	return openaiGoShown(&acc.ChatCompletion), nil
}

func openaiGoStream(ctx context.Context, client openai.Client, p openai.ChatCompletionNewParams) (observation, error) {
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

func openaiGoEmbed(ctx context.Context, client openai.Client, a caseInput) (observation, error) {
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

func openaiGoFailure(err error) failure {
	f := failure{Class: fmt.Sprintf("%T", err), Message: err.Error()}
	if e, ok := errors.AsType[*openai.Error](err); ok {
		f.Status, f.Code, f.Header, f.Message = e.StatusCode, e.Code, e.Response.Header.Get("X-Error-Code"), e.Message
	}
	return f
}
