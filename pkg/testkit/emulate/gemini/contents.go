package gemini

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

func (r *generateRequest) readConversation(ask *server.Prompt, model string) *server.Problem {
	if len(r.Contents) == 0 {
		return invalidArgumentError("* GenerateContentRequest.contents: contents is not specified\n")
	}
	if s := r.SystemInstruction; s != nil {
		for _, p := range s.Parts {
			ask.AddText("system", p.readText())
		}
	}
	var open []functionCall
	for i, c := range r.Contents {
		if p := c.check(i); p != nil {
			return p
		}
		calls, answers := c.functionCalls(), c.functionResults()
		switch {
		case len(answers) > 0 && len(open) == 0:
			return invalidArgumentError("Please ensure that function response turn comes immediately after a function call turn.")
		case len(open) > 0 && len(answers) != len(open):
			return invalidArgumentError("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
		case len(calls) > 0 && i == 0:
			return invalidArgumentError("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		}
		open = calls
		addContent(ask, c)
	}
	if len(open) > 0 {
		return invalidArgumentError("Please ensure that function response turn comes immediately after a function call turn.")
	}
	return r.checkSignatures(model)
}

func (c content) check(i int) *server.Problem {
	at := fmt.Sprintf("* GenerateContentRequest.contents[%d]", i)
	if c.Role != "" && c.Role != "user" && c.Role != "model" && c.Role != "function" {
		return invalidArgumentError("Please use a valid role: user, model.")
	}
	if len(c.Parts) == 0 {
		return invalidArgumentError("%s.parts: contents.parts must not be empty.\n", at)
	}
	for k, p := range c.Parts {
		here := fmt.Sprintf("%s.parts[%d]", at, k)
		switch {
		case p.isEmpty():
			return invalidArgumentError("%s.data: required oneof field 'data' must have one initialized field\n", here)
		case p.FunctionCall != nil && p.FunctionCall.Name == "":
			return invalidArgumentError("%s.function_call.name: [REQUIRED_FIELD_MISSING]\n", here)
		case p.FunctionResponse != nil && p.FunctionResponse.Name == "":
			return invalidArgumentError("%s.function_response.name: Name cannot be empty.\n", here)
		case p.FunctionResponse != nil && server.JSONType(p.FunctionResponse.Response) != "object":
			return invalidArgumentError("Invalid value at 'contents[%d].parts[%d].function_response.response' (type.googleapis.com/google.protobuf.Struct)", i, k)
		case p.FunctionCall != nil && len(p.FunctionCall.Args) > 0 && server.JSONType(p.FunctionCall.Args) != "object":
			return invalidArgumentError("Invalid value at 'contents[%d].parts[%d].function_call.args' (type.googleapis.com/google.protobuf.Struct)", i, k)
		case p.InlineData != nil && (p.InlineData.MimeType == "" || decodeBase64(p.InlineData.Data) == ""):
			return invalidArgumentError("Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")
		case p.FileData != nil && p.FileData.FileURI == "":
			return invalidArgumentError("%s.file_data.file_uri: file_uri must be specified.\n", here)
		}
	}
	return nil
}

// isEmpty reports whether a part has no content. A part with only a signature is valid: SDKs leave out the
// empty text to which the signature belongs.
func (p part) isEmpty() bool {
	return p.ThoughtSignature == "" && p.Text == nil && p.InlineData == nil && p.FileData == nil && p.FunctionCall == nil && p.FunctionResponse == nil &&
		len(p.ExecutableCode) == 0 && len(p.CodeExecutionResult) == 0
}

func (p part) readText() string {
	if p.Text == nil {
		return ""
	}
	return *p.Text
}

func (c content) functionCalls() []functionCall {
	var all []functionCall
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			all = append(all, *p.FunctionCall)
		}
	}
	return all
}

func (c content) functionResults() []string {
	var all []string
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			all = append(all, string(p.FunctionResponse.Response))
		}
	}
	return all
}

// addContent adds a content. It remembers the text and the function results of the last user content.
func addContent(p *server.Prompt, c content) {
	var said []string
	for _, part := range c.Parts {
		switch {
		case part.Text != nil && !part.Thought:
			said = append(said, *part.Text)
		case part.InlineData != nil, part.FileData != nil:
			p.MediaCount++
		case part.FunctionCall != nil:
			p.AddCall(part.FunctionCall.Name, string(part.FunctionCall.Args))
		}
	}
	p.AddText(c.Role, strings.Join(said, " "))
	for _, a := range c.functionResults() {
		p.AddText("result", a)
	}
	if c.Role != "model" {
		p.LastText, p.Results = strings.Join(said, " "), c.functionResults()
	}
}

// checkSignatures checks the signatures that the model added to its parts. Gemini 3 also requires a
// signature on the first function call of each content after the last user message.
func (r *generateRequest) checkSignatures(model string) *server.Problem {
	start := 0
	for i, c := range r.Contents {
		if c.Role != "model" && len(c.functionResults()) == 0 {
			start = i
		}
	}
	for i, c := range r.Contents {
		first := true
		for _, p := range c.Parts {
			if p.ThoughtSignature != "" && !p.hasValidSignature() {
				return invalidArgumentError("Corrupted thought signature.")
			}
			if p.FunctionCall == nil {
				continue
			}
			if first && i > start && p.ThoughtSignature == "" && isGemini3(model) {
				return invalidArgumentError("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s` , position %d. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.", p.FunctionCall.Name, i+1)
			}
			first = false
		}
	}
	return nil
}

// skipSignature is a value that Google accepts in place of a signature.
const skipSignature = "skip_thought_signature_validator"

func (p part) hasValidSignature() bool {
	s := p.ThoughtSignature
	if s == skipSignature || decodeBase64(s) == skipSignature {
		return true
	}
	want := decodeBase64(server.MakeSignature("text"))
	if p.FunctionCall != nil {
		want = decodeBase64(p.FunctionCall.sign())
	}
	return decodeBase64(s) == want
}

// sign returns the signature of a call. It does not depend on the order and spacing of the arguments,
// because SDKs encode the arguments again.
func (f functionCall) sign() string {
	var args map[string]any
	_ = json.Unmarshal(f.Args, &args)
	if len(args) == 0 {
		return server.MakeSignature("call", f.Name)
	}
	return server.MakeSignature("call", f.Name, server.EncodeJSON(args))
}

// decodeBase64 decodes standard or URL-safe base64. For invalid input it returns an empty string.
func decodeBase64(s string) string {
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return ""
	}
	return string(b)
}
