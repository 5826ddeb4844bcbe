package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

var anthropicGo = library{
	name: "anthropic-go", run: inProcess(anthropicGoDo, anthropicGoFailure), kinds: sdkKinds, sdk: anthropicSDK("anthropic-go"),
	fails: failureStyle{
		class: func(testCase) string { return "*apierror.Error" }, // also called anthropic.Error
		calls: callsOfVendorLibrary, flat: showsAll, amidFlat: showsAmidID,
	},
}

func anthropicGoDo(ctx context.Context, a caseInput) (observation, error) {
	client := anthropic.NewClient(option.WithBaseURL(a.BaseURL), option.WithAPIKey(a.Key))
	p := anthropicGoParams(a)
	if a.Kind == "count" {
		n, err := client.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{Model: p.Model, Messages: p.Messages})
		if err != nil {
			return observation{}, err
		}
		return observation{sdkObservation: sdkObservation{Input: n.InputTokens}}, nil
	}
	send := anthropicGoCreate
	if a.Kind == "stream" || a.Kind == "cancel" {
		send = anthropicGoStream
	}
	s, m, err := send(ctx, client, p, a)
	if err != nil || !a.Again {
		if a.Kind == "parse" {
			return parsed(s, err)
		}
		return s, err
	}
	p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(anthropicGoResults(m)...))
	then, _, err := send(ctx, client, p, a)
	s.Then = then.Text
	return s, err
}

func anthropicGoParams(a caseInput) anthropic.MessageNewParams {
	content := []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(a.Prompt)}
	if a.Image {
		content = append(content, anthropic.NewImageBlockBase64("image/png", pixel))
	}
	p := anthropic.MessageNewParams{Model: a.Model, MaxTokens: int64(a.Max), Messages: []anthropic.MessageParam{anthropic.NewUserMessage(content...)}}
	if a.Tools {
		for _, name := range toolNames {
			schema := anthropic.ToolInputSchemaParam{Properties: toolSchema["properties"], Required: []string{"city"}}
			p.Tools = append(p.Tools, anthropic.ToolUnionParamOfTool(schema, name))
		}
	}
	if a.Think {
		p.Thinking = anthropic.ThinkingConfigParamOfEnabled(1024)
	}
	if a.Kind == "parse" {
		p.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: weatherSchema}
	}
	return p
}

func anthropicGoCreate(ctx context.Context, client anthropic.Client, p anthropic.MessageNewParams, _ caseInput) (observation, *anthropic.Message, error) {
	var res *http.Response
	m, err := client.Messages.New(ctx, p, option.WithResponseInto(&res))
	if err != nil {
		return observation{}, nil, err
	}
	s := anthropicGoShown(m)
	s.ID = res.Header.Get("request-id")
	return s, m, nil
}

func anthropicGoStream(ctx context.Context, client anthropic.Client, p anthropic.MessageNewParams, a caseInput) (observation, *anthropic.Message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var res *http.Response
	stream := client.Messages.NewStreaming(ctx, p, option.WithResponseInto(&res))
	defer func() { _ = stream.Close() }()
	var m anthropic.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			return observation{}, nil, err
		}
		if a.Kind == "cancel" && len(m.Content) > 0 && m.Content[0].Text != "" {
			return observation{ID: res.Header.Get("request-id"), Text: m.Content[0].Text}, nil, nil
		}
	}
	s := anthropicGoShown(&m)
	if stream.Err() == nil {
		s.ID = res.Header.Get("request-id")
	}
	return s, &m, stream.Err()
}

func anthropicGoShown(m *anthropic.Message) observation {
	s := observation{Role: string(m.Role), Finish: string(m.StopReason)}
	s.Input, s.Output = m.Usage.InputTokens, m.Usage.OutputTokens
	for _, b := range m.Content {
		s.Text += b.Text
		s.Thinking += b.Thinking
		if b.Type == "tool_use" {
			s.Calls = append(s.Calls, call{ID: b.ID, Name: b.Name, Args: arguments(string(b.Input))})
		}
	}
	return s
}

func anthropicGoResults(m *anthropic.Message) []anthropic.ContentBlockParamUnion {
	var all []anthropic.ContentBlockParamUnion
	for _, b := range m.Content {
		if b.Type == "tool_use" {
			all = append(all, anthropic.NewToolResultBlock(b.ID, toolResults[b.Name], false))
		}
	}
	return all
}

func anthropicGoFailure(err error) failure {
	f := failure{Class: fmt.Sprintf("%T", err), Message: err.Error()}
	if e, ok := errors.AsType[*anthropic.Error](err); ok {
		var body struct{ Code string }
		_ = json.Unmarshal([]byte(e.RawJSON()), &body)
		f.ID, f.Status, f.Code, f.Header = e.RequestID, e.StatusCode, body.Code, e.Response.Header.Get("X-Error-Code")
	}
	return f
}
