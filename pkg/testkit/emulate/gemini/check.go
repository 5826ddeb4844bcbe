package gemini

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

func (r *generateRequest) readPrompt(model string) (*server.Prompt, *server.Problem) {
	for _, rule := range []func(string) *server.Problem{r.checkConfig, r.checkThinking, r.checkTools} {
		if p := rule(model); p != nil {
			return nil, p
		}
	}
	g := r.GenerationConfig
	ask := &server.Prompt{Stops: g.StopSequences, WantsObject: g.ResponseMimeType == "application/json", Schema: r.schema(), Think: r.wantsThinking(model)}
	if g.MaxOutputTokens != nil {
		ask.MaxOutput = *g.MaxOutputTokens
	}
	if g.CandidateCount != nil {
		ask.Responses = *g.CandidateCount
	}
	for _, d := range r.declarations() {
		ask.Tools = append(ask.Tools, server.Tool{Name: d.Name, Schema: d.schema()})
		ask.AddText("tool", d.Name+d.Description+string(d.schema()))
	}
	if t := r.ToolConfig; t != nil {
		mode := t.FunctionCallingConfig.Mode
		ask.Choice = server.Choice{Never: mode == "NONE", Must: mode == "ANY", Only: t.FunctionCallingConfig.AllowedFunctionNames}
	}
	return ask, r.readConversation(ask, model)
}

func (r *generateRequest) declarations() []declaration {
	var all []declaration
	for _, t := range r.Tools {
		all = append(all, t.FunctionDeclarations...)
	}
	return all
}

func (r *generateRequest) schema() json.RawMessage {
	if len(r.GenerationConfig.ResponseJSONSchema) > 0 {
		return r.GenerationConfig.ResponseJSONSchema
	}
	return r.GenerationConfig.ResponseSchema
}

// wantsThinking reports whether the model thinks for this request. Gemini 3 always thinks. For Gemini 2.5,
// a thinking budget overrides the model's default. Other models never think.
func (r *generateRequest) wantsThinking(model string) bool {
	t := r.GenerationConfig.ThinkingConfig
	switch {
	case isGemini3(model):
		return true
	case !strings.HasPrefix(model, "gemini-2.5"):
		return false
	case t != nil && t.ThinkingBudget != nil:
		return *t.ThinkingBudget != 0
	}
	return !strings.Contains(model, "flash-lite")
}

func isGemini3(model string) bool {
	return strings.HasPrefix(model, "gemini-") && !strings.HasPrefix(model, "gemini-2") && !strings.HasPrefix(model, "gemini-1")
}

func (r *generateRequest) checkConfig(model string) *server.Problem {
	g := r.GenerationConfig
	const at = "* GenerateContentRequest.generation_config."
	switch {
	case strings.Contains(model, "embedding"):
		return &server.Problem{Status: 404, Kind: "NOT_FOUND", Message: "models/" + model + " is not found for API version v1beta, or is not supported for generateContent."}
	case g.Temperature != nil && (*g.Temperature < 0 || *g.Temperature > 2):
		return invalidArgumentError(at + "temperature: temperature must be in the range [0.0, 2.0].")
	case g.TopP != nil && (*g.TopP < 0 || *g.TopP > 1):
		return invalidArgumentError(at + "top_p: top_p must be in the range [0.0, 1.0].")
	case g.MaxOutputTokens != nil && *g.MaxOutputTokens < 1:
		return invalidArgumentError(at + "max_output_tokens: max_output_tokens must be positive.")
	case g.CandidateCount != nil && (*g.CandidateCount < 1 || *g.CandidateCount > 8):
		return invalidArgumentError(at + "candidate_count: candidate_count must be in the range [1, 8].")
	case len(g.StopSequences) > 5:
		return invalidArgumentError(at+"stop_sequences: only 5 stop sequences are allowed, but %d were given.", len(g.StopSequences))
	case len(g.ResponseSchema) > 0 && len(g.ResponseJSONSchema) > 0:
		return invalidArgumentError("Only one of response_schema and response_json_schema can be set.")
	case r.schema() != nil && !slices.Contains([]string{"application/json", "text/x.enum"}, g.ResponseMimeType):
		return invalidArgumentError(at + "response_schema: only allowed when response_mime_type is application/json or text/x.enum.")
	case g.ResponseMimeType == "application/json" && len(r.declarations()) > 0 && !isGemini3(model):
		return invalidArgumentError("Function calling with a response mime type: 'application/json' is unsupported")
	}
	if name := findForeignKeyword(g.ResponseSchema, 0); name != "" {
		return invalidArgumentError("Invalid JSON payload received. Unknown name \"%s\" at 'generation_config.response_schema': Cannot find field.", name)
	}
	return nil
}

func (r *generateRequest) checkThinking(model string) *server.Problem {
	t := r.GenerationConfig.ThinkingConfig
	if t == nil {
		return nil
	}
	three, capable := isGemini3(model), isGemini3(model) || strings.HasPrefix(model, "gemini-2.5")
	levels := []string{"", "MINIMAL", "LOW", "MEDIUM", "HIGH", "THINKING_LEVEL_UNSPECIFIED"}
	switch {
	case !capable:
		return invalidArgumentError("Thinking is not supported for this model.")
	case !slices.Contains(levels, strings.ToUpper(t.ThinkingLevel)):
		return invalidArgumentError("Invalid value at 'generation_config.thinking_config.thinking_level' (type.googleapis.com/google.ai.generativelanguage.v1beta.ThinkingConfig.ThinkingLevel), \"%s\"", t.ThinkingLevel)
	case t.ThinkingLevel != "" && !three:
		return invalidArgumentError("Thinking level is not supported for this model.")
	case t.ThinkingLevel != "" && t.ThinkingBudget != nil:
		return invalidArgumentError("You can only set only one of thinking budget and thinking level.")
	case t.ThinkingBudget == nil || *t.ThinkingBudget == -1:
		return nil
	}
	low, high := int64(0), int64(24576)
	switch {
	case strings.HasPrefix(model, "gemini-2.5-pro"), three:
		low, high = 128, 32768
	case strings.Contains(model, "flash-lite") && *t.ThinkingBudget != 0:
		low = 512
	}
	switch b := *t.ThinkingBudget; {
	case b == 0 && low == 128:
		return invalidArgumentError("Budget 0 is invalid. This model only works in thinking mode.")
	case b < low || b > high:
		return invalidArgumentError("The thinking budget %d is invalid. Please choose a value between %d and %d.", b, low, high)
	}
	return nil
}

func (r *generateRequest) checkTools(string) *server.Problem {
	names := map[string]bool{}
	for i, d := range r.declarations() {
		plain := strings.NewReplacer(".", "", ":", "").Replace(d.Name)
		switch {
		case !server.IsValidName(plain, 64) || len(d.Name) > 64 || strings.ContainsAny(d.Name[:1], "0123456789-.:"):
			return invalidArgumentError("* GenerateContentRequest.tools[0].function_declarations[%d].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.", i)
		case names[d.Name]:
			return invalidArgumentError("Duplicate function declaration found: %s", d.Name)
		case len(d.Parameters) > 0 && len(d.ParametersJSONSchema) > 0:
			return invalidArgumentError("* GenerateContentRequest.tools[0].function_declarations[%d]: only one of parameters and parameters_json_schema can be set.", i)
		}
		if name := findForeignKeyword(d.Parameters, 0); name != "" {
			return invalidArgumentError("Invalid JSON payload received. Unknown name \"%s\" at 'tools[0].function_declarations[%d].parameters': Cannot find field.", name, i)
		}
		names[d.Name] = true
	}
	if r.ToolConfig == nil {
		return nil
	}
	f := r.ToolConfig.FunctionCallingConfig
	switch {
	case !slices.Contains([]string{"", "MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"}, f.Mode):
		return invalidArgumentError("Invalid value at 'tool_config.function_calling_config.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), \"%s\"", f.Mode)
	case f.Mode == "ANY" && len(names) == 0:
		return invalidArgumentError("Function calling config is set without function_declarations.")
	case len(f.AllowedFunctionNames) > 0 && f.Mode != "ANY" && f.Mode != "VALIDATED":
		return invalidArgumentError("Allowed function names should only be set when function calling mode is ANY or VALIDATED.")
	}
	for _, name := range f.AllowedFunctionNames {
		if !names[name] {
			return invalidArgumentError("* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: %s is not a declared function.", name)
		}
	}
	return nil
}

// schemaKeywords are the keywords of Google's schema format.
var schemaKeywords = strings.Fields("type format title description nullable enum maxItems minItems properties required minProperties maxProperties " +
	"minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum")

// findForeignKeyword returns a keyword of the schema that Google's format does not have. It returns an
// empty string if there is none.
func findForeignKeyword(raw json.RawMessage, depth int) string {
	var members map[string]json.RawMessage
	if depth > server.MaxDepth || json.Unmarshal(raw, &members) != nil {
		return ""
	}
	for name := range members {
		if !slices.Contains(schemaKeywords, camelCaseName(name)) {
			return name
		}
	}
	var inner map[string]json.RawMessage
	_ = json.Unmarshal(members["properties"], &inner)
	var alternatives []json.RawMessage
	_ = json.Unmarshal(members["anyOf"], &alternatives)
	for _, one := range slices.Concat([]json.RawMessage{members["items"]}, slices.Collect(maps.Values(inner)), alternatives) {
		if name := findForeignKeyword(one, depth+1); name != "" {
			return name
		}
	}
	return ""
}
