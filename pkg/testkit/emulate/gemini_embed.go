package emulate

import (
	"encoding/json"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
)

type embedContentRequest struct {
	Model                string   `json:"model"`
	Content              *content `json:"content"`
	TaskType             string   `json:"taskType"`
	Title                string   `json:"title"`
	OutputDimensionality *int     `json:"outputDimensionality"`

	EmbedContentConfig json.RawMessage `json:"embedContentConfig"`
}

// maxBatch is Gemini's limit on the number of contents per call.
const maxBatch = 100

func (g gemini) serveEmbed(c *call) (scripted.Response, *problem) {
	var r embedContentRequest
	if p := c.decodeGemini(&r); p != nil {
		return scripted.Response{}, p
	}
	values, p := r.computeValues(c)
	if p != nil {
		return scripted.Response{}, p
	}
	return c.geminiJSON(map[string]any{"embedding": values}), nil
}

func (g gemini) serveEmbedBatch(c *call) (scripted.Response, *problem) {
	var batch struct {
		Requests []embedContentRequest `json:"requests"`
	}
	if p := c.decodeGemini(&batch); p != nil {
		return scripted.Response{}, p
	}
	switch n := len(batch.Requests); {
	case n == 0:
		return scripted.Response{}, invalidArgumentError("* BatchEmbedContentsRequest.requests: requests must not be empty\n")
	case n > maxBatch:
		return scripted.Response{}, invalidArgumentError("* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n")
	}
	list := []any{}
	for _, r := range batch.Requests {
		if r.Model != "models/"+c.model {
			return scripted.Response{}, invalidArgumentError("* BatchEmbedContentsRequest.requests: model in requests must match the model of the batch\n")
		}
		values, p := r.computeValues(c)
		if p != nil {
			return scripted.Response{}, p
		}
		list = append(list, values)
	}
	return c.geminiJSON(map[string]any{"embeddings": list}), nil
}

const maxVectorSize = 3072

// computeValues returns the embedding. Like Gemini, it normalizes only embeddings of full size.
func (r *embedContentRequest) computeValues(c *call) (any, *problem) {
	size := maxVectorSize
	if r.OutputDimensionality != nil {
		size = *r.OutputDimensionality
	}
	switch {
	case !strings.Contains(c.model, "embedding"):
		return nil, &problem{status: 404, kind: "NOT_FOUND", message: "models/" + c.model + " is not found for API version v1beta, or is not supported for embedContent."}
	case r.Content == nil || len(r.Content.Parts) == 0:
		return nil, invalidArgumentError("* EmbedContentRequest.content: contents is not specified\n")
	case size < 1 || size > maxVectorSize:
		return nil, invalidArgumentError("* EmbedContentRequest.output_dimensionality: output_dimensionality must be in the range [1, 3072].\n")
	}
	var said []string
	for _, p := range r.Content.Parts {
		said = append(said, p.readText())
	}
	all := strings.Join(said, " ")
	if p := c.applyTextDirectives(all); p != nil {
		return nil, p
	}
	v := computeVector(all, size)
	if size < maxVectorSize {
		for i := range v {
			v[i] /= 2
		}
	}
	c.usage.Input += Tokens(all)
	return map[string]any{"values": v}, nil
}

func (g gemini) serveCount(c *call) (scripted.Response, *problem) {
	var r struct {
		Contents []content        `json:"contents"`
		Generate *generateRequest `json:"generateContentRequest"`
	}
	if p := c.decodeGemini(&r); p != nil {
		return scripted.Response{}, p
	}
	if r.Generate == nil {
		r.Generate = &generateRequest{Contents: r.Contents}
	}
	ask, p := r.Generate.readPrompt(c.model)
	if p == nil {
		p = c.applyTextDirectives(ask.lastText)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	n := ask.countTokens()
	return c.geminiJSON(map[string]any{"totalTokens": n, "promptTokensDetails": []any{map[string]any{"modality": "TEXT", "tokenCount": n}}}), nil
}
