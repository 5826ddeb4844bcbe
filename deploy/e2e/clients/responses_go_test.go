package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

var responsesGo = library{
	name: "openai-go responses", run: inProcess(responsesGoDo, responsesGoFailure), kinds: sdkKindsNoCounts, sdk: responsesSDK("openai-go"),
	hides: hidesRole,
	fails: failureStyle{
		class: func(c testCase) string {
			if c.failsMidStream() {
				return "*clients.failedResponse"
			}
			return "*apierror.Error" // also called openai.Error
		},
		calls: callsOfVendorLibrary, flat: showsAll, amidFlat: showsAmid,
	},
}

// failedResponse is a response with the status failed, or an error event of OpenAI. The SDK
// does not turn them into errors.
type failedResponse struct{ code, message string }

func (f *failedResponse) Error() string { return f.message }

func responsesGoDo(ctx context.Context, a caseInput) (observation, error) {
	client := openai.NewClient(option.WithBaseURL(a.BaseURL), option.WithAPIKey(a.Key))
	p := responsesGoParams(a)
	send := responsesGoCreate
	if a.Kind == "stream" || a.Kind == "cancel" {
		send = responsesGoStream
	}
	s, r, err := send(ctx, client, p, a)
	if err != nil || !a.Again {
		if a.Kind == "parse" {
			return parsed(s, err)
		}
		return s, err
	}
	p.Input.OfInputItemList = append(p.Input.OfInputItemList, responsesGoTurn(r)...)
	then, _, err := send(ctx, client, p, a)
	s.Then = then.Text
	return s, err
}

func responsesGoParams(a caseInput) responses.ResponseNewParams {
	content := responses.ResponseInputMessageContentListParam{responses.ResponseInputContentParamOfInputText(a.Prompt)}
	if a.Image {
		image := responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
		image.OfInputImage.ImageURL = openai.String("data:image/png;base64," + pixel)
		content = append(content, image)
	}
	p := responses.ResponseNewParams{
		Model: a.Model, Store: openai.Bool(false), MaxOutputTokens: openai.Int(int64(a.Max)),
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
	}
	p.Input.OfInputItemList = responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser)}
	if a.Tools {
		for _, name := range toolNames {
			p.Tools = append(p.Tools, responses.ToolParamOfFunction(name, toolSchema, false))
		}
	}
	if a.Think {
		p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffortLow, Summary: shared.ReasoningSummaryAuto}
	}
	if a.Kind == "parse" {
		p.Text.Format.OfJSONSchema = &responses.ResponseFormatTextJSONSchemaConfigParam{Name: "weather", Schema: weatherSchema, Strict: openai.Bool(true)}
	}
	return p
}

func responsesGoCreate(ctx context.Context, client openai.Client, p responses.ResponseNewParams, _ caseInput) (observation, *responses.Response, error) {
	var res *http.Response
	r, err := client.Responses.New(ctx, p, option.WithResponseInto(&res))
	if err != nil {
		return observation{}, nil, err
	}
	s := responsesGoShown(r)
	s.ID = res.Header.Get("X-Request-Id")
	return s, r, nil
}

func responsesGoStream(ctx context.Context, client openai.Client, p responses.ResponseNewParams, a caseInput) (observation, *responses.Response, error) {
	var res *http.Response
	stream := client.Responses.NewStreaming(ctx, p, option.WithResponseInto(&res))
	defer func() { _ = stream.Close() }()
	var s observation
	var last *responses.Response
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.output_text.delta":
			s.Text += e.Delta
			if a.Kind == "cancel" {
				s.ID = res.Header.Get("X-Request-Id")
				return s, nil, nil
			}
		case "response.failed":
			return s, nil, &failedResponse{e.Code, e.Response.Error.Message}
		case "error":
			return s, nil, &failedResponse{e.Code, e.Message}
		case "response.completed":
			last = &e.Response
		}
	}
	if err := stream.Err(); err != nil {
		return s, nil, err
	}
	if last == nil {
		return s, nil, errors.New("the stream ended without response.completed")
	}
	s = responsesGoShown(last)
	s.ID = res.Header.Get("X-Request-Id")
	return s, last, nil
}

func responsesGoShown(r *responses.Response) observation {
	s := observation{Text: r.OutputText(), Finish: string(r.Status)}
	s.Input, s.Output = r.Usage.InputTokens, r.Usage.OutputTokens
	for _, item := range r.Output {
		switch item.Type {
		case "reasoning":
			for _, part := range item.Summary {
				s.Thinking += part.Text
			}
		case "function_call":
			s.Calls = append(s.Calls, call{ID: item.CallID, Name: item.Name, Args: arguments(item.Arguments.OfString)})
		}
	}
	return s
}

// responsesGoTurn returns the output of a response, and the results of its calls, as input.
func responsesGoTurn(r *responses.Response) responses.ResponseInputParam {
	var turn, results responses.ResponseInputParam
	for _, item := range r.Output {
		turn = append(turn, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
		if item.Type == "function_call" {
			result := responses.ResponseInputItemParamOfFunctionCallOutput(toolResults[item.Name])
			result.OfFunctionCallOutput.CallID = openai.String(item.CallID)
			results = append(results, result)
		}
	}
	return append(turn, results...)
}

func responsesGoFailure(err error) failure {
	f := openaiGoFailure(err)
	if e, ok := errors.AsType[*openai.Error](err); ok {
		f.ID = e.Response.Header.Get("X-Request-Id")
	}
	if e, ok := errors.AsType[*failedResponse](err); ok {
		f = failure{Class: fmt.Sprintf("%T", err), Code: e.code, Message: e.message}
	}
	return f
}
