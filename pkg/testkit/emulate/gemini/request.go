package gemini

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// generateRequest has the fields that Google AI Studio accepts. Requests with other fields are rejected.
type generateRequest struct {
	Contents          []content        `json:"contents"`
	SystemInstruction *content         `json:"systemInstruction"`
	Tools             []generateTool   `json:"tools"`
	ToolConfig        *generateChoice  `json:"toolConfig"`
	GenerationConfig  generationConfig `json:"generationConfig"`

	SafetySettings json.RawMessage `json:"safetySettings"`
	CachedContent  json.RawMessage `json:"cachedContent"`
	ServiceTier    json.RawMessage `json:"serviceTier"`
	Store          json.RawMessage `json:"store"`
	Model          string          `json:"model"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text             *string         `json:"text,omitempty"`
	Thought          bool            `json:"thought,omitempty"`
	ThoughtSignature string          `json:"thoughtSignature,omitempty"`
	InlineData       *inlineData     `json:"inlineData,omitempty"`
	FileData         *fileData       `json:"fileData,omitempty"`
	FunctionCall     *functionCall   `json:"functionCall,omitempty"`
	FunctionResponse *functionResult `json:"functionResponse,omitempty"`

	ExecutableCode      json.RawMessage `json:"executableCode,omitempty"`
	CodeExecutionResult json.RawMessage `json:"codeExecutionResult,omitempty"`
	VideoMetadata       json.RawMessage `json:"videoMetadata,omitempty"`
	PartMetadata        json.RawMessage `json:"partMetadata,omitempty"`
	MediaResolution     json.RawMessage `json:"mediaResolution,omitempty"`
}

type inlineData struct {
	MimeType    string `json:"mimeType"`
	Data        string `json:"data"`
	DisplayName string `json:"displayName,omitempty"`
}

type fileData struct {
	FileURI  string `json:"fileUri"`
	MimeType string `json:"mimeType,omitempty"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type functionResult struct {
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name"`
	Response     json.RawMessage `json:"response"`
	WillContinue bool            `json:"willContinue,omitempty"`
	Scheduling   string          `json:"scheduling,omitempty"`
	Parts        json.RawMessage `json:"parts,omitempty"`
}

type generateTool struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`

	GoogleSearch          json.RawMessage `json:"googleSearch"`
	GoogleSearchRetrieval json.RawMessage `json:"googleSearchRetrieval"`
	CodeExecution         json.RawMessage `json:"codeExecution"`
	URLContext            json.RawMessage `json:"urlContext"`
	GoogleMaps            json.RawMessage `json:"googleMaps"`
	FileSearch            json.RawMessage `json:"fileSearch"`
	ComputerUse           json.RawMessage `json:"computerUse"`
}

type declaration struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Parameters           json.RawMessage `json:"parameters"`
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`

	Behavior           json.RawMessage `json:"behavior"`
	Response           json.RawMessage `json:"response"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
}

func (d declaration) schema() json.RawMessage {
	if len(d.ParametersJSONSchema) > 0 {
		return d.ParametersJSONSchema
	}
	return d.Parameters
}

type generateChoice struct {
	FunctionCallingConfig struct {
		Mode                 string   `json:"mode"`
		AllowedFunctionNames []string `json:"allowedFunctionNames"`
	} `json:"functionCallingConfig"`
	RetrievalConfig                  json.RawMessage `json:"retrievalConfig"`
	IncludeServerSideToolInvocations json.RawMessage `json:"includeServerSideToolInvocations"`
}

type generationConfig struct {
	Temperature        *float64        `json:"temperature"`
	TopP               *float64        `json:"topP"`
	TopK               *float64        `json:"topK"`
	MaxOutputTokens    *int64          `json:"maxOutputTokens"`
	StopSequences      []string        `json:"stopSequences"`
	CandidateCount     *int            `json:"candidateCount"`
	Seed               *int32          `json:"seed"`
	ResponseMimeType   string          `json:"responseMimeType"`
	ResponseSchema     json.RawMessage `json:"responseSchema"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
	ThinkingConfig     *struct {
		IncludeThoughts bool   `json:"includeThoughts"`
		ThinkingBudget  *int64 `json:"thinkingBudget"`
		ThinkingLevel   string `json:"thinkingLevel"`
	} `json:"thinkingConfig"`

	PresencePenalty    json.RawMessage `json:"presencePenalty"`
	FrequencyPenalty   json.RawMessage `json:"frequencyPenalty"`
	ResponseLogprobs   json.RawMessage `json:"responseLogprobs"`
	Logprobs           json.RawMessage `json:"logprobs"`
	ResponseModalities json.RawMessage `json:"responseModalities"`
	SpeechConfig       json.RawMessage `json:"speechConfig"`
	ImageConfig        json.RawMessage `json:"imageConfig"`
	MediaResolution    json.RawMessage `json:"mediaResolution"`
}

// decodeBody decodes a body whose field names may be in camel case or snake case.
func decodeBody(c *server.Call, v any) *server.Problem {
	field, unknown, err := server.DecodeStrict(toCamelCase(c.Body), v)
	switch {
	case err == nil:
		return nil
	case unknown:
		p := invalidArgumentError("Invalid JSON payload received. Unknown name \"%s\": Cannot find field.", field)
		p.Details = `[{"@type":"` + googleTypePrefix + `BadRequest","fieldViolations":[{"description":` + server.EncodeJSON(p.Message) + `}]}]`
		return p
	case field != "":
		return invalidArgumentError("Invalid value at '%s'.", field)
	}
	return c.FindProblem("400")
}

// callerNamedFields are fields whose content has names that the caller chose. toCamelCase leaves these names
// unchanged.
var callerNamedFields = []string{"args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema", "partMetadata"}

// toCamelCase converts field names such as max_output_tokens to maxOutputTokens.
func toCamelCase(raw json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case json.Unmarshal(raw, &list) == nil && list != nil:
		for i := range list {
			list[i] = toCamelCase(list[i])
		}
		return json.RawMessage(server.EncodeJSON(list))
	case json.Unmarshal(raw, &members) != nil || members == nil:
		return raw
	}
	renamed := make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		name = camelCaseName(name)
		if !slices.Contains(callerNamedFields, name) {
			value = toCamelCase(value)
		}
		renamed[name] = value
	}
	return json.RawMessage(server.EncodeJSON(renamed))
}

func camelCaseName(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

func (g dialect) serveGenerate(c *server.Call) (scripted.Response, *server.Problem) {
	r, said, p := g.composeResponse(c)
	if p != nil {
		return scripted.Response{}, p
	}
	return respondJSON(newGenerateResponse(c, r, said)), nil
}

func (g dialect) serveStream(c *server.Call) (scripted.Response, *server.Problem) {
	c.Stream = true
	r, said, p := g.composeResponse(c)
	if p != nil {
		return scripted.Response{}, p
	}
	return encodeGenerateStream(c, r, said), nil
}

func (g dialect) composeResponse(c *server.Call) (*generateRequest, *server.ModelResponse, *server.Problem) {
	r := &generateRequest{}
	if p := decodeBody(c, r); p != nil {
		return nil, nil, p
	}
	ask, p := r.readPrompt(c.Model)
	if p == nil {
		p = c.ApplyTextDirectives(ask.LastText)
	}
	if p != nil {
		return nil, nil, p
	}
	if most := c.Server.Options().Context; ask.CountTokens() > most {
		return nil, nil, invalidArgumentError("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", ask.CountTokens(), most)
	}
	return r, c.ComposeResponse(ask), nil
}

// wantsEvents reports whether a stream consists of events. Otherwise it is a JSON array.
func wantsEvents(c *server.Call) bool { return c.Request.URL.Query().Get("alt") == "sse" }
