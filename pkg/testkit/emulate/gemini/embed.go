package gemini

import (
	"encoding/json"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
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

func (g dialect) serveEmbed(c *server.Call) (scripted.Response, *server.Problem) {
	var r embedContentRequest
	if p := decodeBody(c, &r); p != nil {
		return scripted.Response{}, p
	}
	values, p := r.computeValues(c)
	if p != nil {
		return scripted.Response{}, p
	}
	return respondJSON(map[string]any{"embedding": values}), nil
}

func (g dialect) serveEmbedBatch(c *server.Call) (scripted.Response, *server.Problem) {
	var batch struct {
		Requests []embedContentRequest `json:"requests"`
	}
	if p := decodeBody(c, &batch); p != nil {
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
		if r.Model != "models/"+c.Model {
			return scripted.Response{}, invalidArgumentError("* BatchEmbedContentsRequest.requests: model in requests must match the model of the batch\n")
		}
		values, p := r.computeValues(c)
		if p != nil {
			return scripted.Response{}, p
		}
		list = append(list, values)
	}
	return respondJSON(map[string]any{"embeddings": list}), nil
}

const maxVectorSize = 3072

// computeValues returns the embedding. Like Gemini, it normalizes only embeddings of full size.
func (r *embedContentRequest) computeValues(c *server.Call) (any, *server.Problem) {
	size := maxVectorSize
	if r.OutputDimensionality != nil {
		size = *r.OutputDimensionality
	}
	switch {
	case !strings.Contains(c.Model, "embedding"):
		return nil, &server.Problem{Status: 404, Kind: "NOT_FOUND", Message: "models/" + c.Model + " is not found for API version v1beta, or is not supported for embedContent."}
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
	if p := c.ApplyTextDirectives(all); p != nil {
		return nil, p
	}
	v := server.ComputeVector(all, size)
	if size < maxVectorSize {
		for i := range v {
			v[i] /= 2
		}
	}
	c.Usage.Input += server.Tokens(all)
	return map[string]any{"values": v}, nil
}

func (g dialect) serveCount(c *server.Call) (scripted.Response, *server.Problem) {
	var r struct {
		Contents []content        `json:"contents"`
		Generate *generateRequest `json:"generateContentRequest"`
	}
	if p := decodeBody(c, &r); p != nil {
		return scripted.Response{}, p
	}
	if r.Generate == nil {
		r.Generate = &generateRequest{Contents: r.Contents}
	}
	ask, p := r.Generate.readPrompt(c.Model)
	if p == nil {
		p = c.ApplyTextDirectives(ask.LastText)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	n := ask.CountTokens()
	return respondJSON(map[string]any{"totalTokens": n, "promptTokensDetails": []any{map[string]any{"modality": "TEXT", "tokenCount": n}}}), nil
}
