package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

type embedRequest struct {
	Model          string          `json:"model"`
	Input          json.RawMessage `json:"input"`
	EncodingFormat string          `json:"encoding_format"`
	Dimensions     *int            `json:"dimensions"`
	User           string          `json:"user"`
	// OutputDimension is Mistral's name for Dimensions.
	OutputDimension *int `json:"output_dimension"`
}

// maxInputs is OpenAI's limit on the number of inputs per call.
const maxInputs = 2048

func (o dialect) serveEmbeddings(c *server.Call, w writer) (scripted.Response, *server.Problem) {
	var r embedRequest
	if p := decodeBody(c, &r); p != nil {
		return scripted.Response{}, p
	}
	if p := checkModel(c, r.Model, w); p != nil {
		return scripted.Response{}, p
	}
	r.Dimensions = cmp.Or(r.OutputDimension, r.Dimensions)
	inputs, p := r.readInputs()
	if p == nil {
		p = r.check(c.Model)
	}
	if p == nil {
		p = c.ApplyTextDirectives(inputs[0].text)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	data := make([]any, len(inputs))
	for i, in := range inputs {
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": r.encodeVector(server.ComputeVector(in.text, r.vectorSize(c.Model)))}
		c.Usage.Input += in.tokens
	}
	return respondJSON(c, map[string]any{
		"object": "list", "data": data, "model": w.newHead(c, "").Model,
		"usage": map[string]int64{"prompt_tokens": c.Usage.Input, "total_tokens": c.Usage.Input},
	}), nil
}

// input is a text to embed. If the caller sent an array of token ids, text is the printed array.
type input struct {
	text   string
	tokens int64
}

func (r *embedRequest) readInputs() ([]input, *server.Problem) {
	var all []input
	if server.JSONType(r.Input) == "string" {
		one := server.DecodeString(r.Input)
		all = []input{{one, server.Tokens(one)}}
	}
	for _, t := range decodeAs[[]string](r.Input) {
		all = append(all, input{t, server.Tokens(t)})
	}
	lists := decodeAs[[][]int](r.Input)
	if ids := decodeAs[[]int](r.Input); len(ids) > 0 {
		lists = append(lists, ids)
	}
	for _, l := range lists {
		all = append(all, input{fmt.Sprint(l), int64(len(l))})
	}
	for _, in := range all {
		if in.tokens == 0 {
			return nil, invalidFieldError("input", "", "Invalid 'input': input cannot be an empty string.")
		}
		if in.tokens > 8192 {
			return nil, invalidFieldError("input", "context_length_exceeded", "This model's maximum context length is 8192 tokens, however you requested %d tokens (%d in your prompt; 0 for the completion). Please reduce your prompt; or completion length.", in.tokens, in.tokens)
		}
	}
	if len(all) == 0 || len(all) > maxInputs {
		return nil, invalidFieldError("input", "", "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.")
	}
	return all, nil
}

// decodeAs decodes JSON of type T. For JSON of another type it returns the zero value.
func decodeAs[T any](raw json.RawMessage) (v T) {
	var none T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}

func (r *embedRequest) check(model string) *server.Problem {
	switch {
	case !strings.Contains(model, "embed"):
		return invalidFieldError("model", "", "You are not allowed to generate embeddings from this model")
	case r.EncodingFormat != "" && r.EncodingFormat != "float" && r.EncodingFormat != "base64":
		return invalidFieldError("encoding_format", "invalid_value", "Invalid value: '%s'. Supported values are: 'float' and 'base64'.", r.EncodingFormat)
	case r.Dimensions != nil && strings.HasPrefix(model, "text-embedding-ada"):
		return invalidFieldError("dimensions", "", "This model does not support specifying dimensions.")
	case r.Dimensions != nil && (*r.Dimensions < 1 || *r.Dimensions > r.vectorSize(model)):
		return invalidFieldError("dimensions", "", "Invalid value for 'dimensions' = %d. Must be less than or equal to the model's dimensions.", *r.Dimensions)
	}
	return nil
}

func (r *embedRequest) vectorSize(model string) int {
	most := 1536
	if strings.HasPrefix(model, "text-embedding-3-large") {
		most = 3072
	}
	if r.Dimensions != nil && *r.Dimensions > 0 && *r.Dimensions < most {
		return *r.Dimensions
	}
	return most
}

func (r *embedRequest) encodeVector(v []float32) any {
	if r.EncodingFormat != "base64" {
		return v
	}
	b := make([]byte, 0, 4*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return base64.StdEncoding.EncodeToString(b)
}
