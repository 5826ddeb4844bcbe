package gemini

import (
	"encoding/json"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

type generateResponse struct {
	Candidates     []candidate     `json:"candidates,omitempty"`
	PromptFeedback json.RawMessage `json:"promptFeedback,omitempty"`
	UsageMetadata  any             `json:"usageMetadata,omitempty"`
	ModelVersion   string          `json:"modelVersion"`
	ResponseID     string          `json:"responseId"`
}

type candidate struct {
	Content       content         `json:"content"`
	FinishReason  string          `json:"finishReason,omitempty"`
	Index         int             `json:"index"`
	SafetyRatings json.RawMessage `json:"safetyRatings,omitempty"`
	FinishMessage string          `json:"finishMessage,omitempty"`
}

var finishReasons = map[server.Finish]string{server.Finished: "STOP", server.Stopped: "STOP", server.Full: "MAX_TOKENS", server.Calling: "STOP", server.Blocked: "SAFETY"}

const (
	blockedFeedback = `{"blockReason":"SAFETY","safetyRatings":[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","probability":"HIGH","blocked":true}]}`
	blockedRatings  = `[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","probability":"HIGH","blocked":true}]`
)

// encodeGenerateUsage returns Gemini's token counts. The tokens of candidates do not include thoughts.
func encodeGenerateUsage(u server.Usage) any {
	prompt := u.Input + u.CacheRead
	all := map[string]any{
		"promptTokenCount": prompt, "candidatesTokenCount": u.Output - u.Reasoning, "totalTokenCount": prompt + u.Output,
		"promptTokensDetails": []any{map[string]any{"modality": "TEXT", "tokenCount": prompt}},
	}
	if u.Reasoning > 0 {
		all["thoughtsTokenCount"] = u.Reasoning
	}
	if u.CacheRead > 0 {
		all["cachedContentTokenCount"] = u.CacheRead
	}
	return all
}

func newGenerateHead(c *server.Call, u server.Usage) generateResponse {
	r := generateResponse{ModelVersion: c.Model, ResponseID: c.ID}
	if !c.Directives.Has("usageless") {
		r.UsageMetadata = encodeGenerateUsage(u)
	}
	return r
}

// newParts returns the parts of a response. Gemini 3 signs the first function call. If there is no call,
// it signs the text.
func (r *generateRequest) newParts(model string, said *server.ModelResponse) []part {
	var all []part
	signed := isGemini3(model)
	if t := r.GenerationConfig.ThinkingConfig; t != nil && t.IncludeThoughts && said.Thinking != "" {
		all = append(all, part{Text: &said.Thinking, Thought: true})
	}
	if said.Text != "" {
		p := part{Text: &said.Text}
		if signed && len(said.Calls) == 0 {
			p.ThoughtSignature = server.MakeSignature("text")
		}
		all = append(all, p)
	}
	for i, t := range said.Calls {
		f := &functionCall{Name: t.Name, Args: json.RawMessage(t.Args)}
		p := part{FunctionCall: f}
		if signed && i == 0 {
			p.ThoughtSignature = f.sign()
		}
		all = append(all, p)
	}
	return all
}

func newGenerateResponse(c *server.Call, r *generateRequest, said *server.ModelResponse) generateResponse {
	a := newGenerateHead(c, said.Usage)
	if said.Finish == server.Blocked && said.Text == "" {
		a.PromptFeedback = json.RawMessage(blockedFeedback)
		return a
	}
	for i := range said.Responses {
		one := candidate{Content: content{Role: "model", Parts: r.newParts(c.Model, said)}, Index: i}
		one.setEnd(said)
		a.Candidates = append(a.Candidates, one)
	}
	return a
}

func (o *candidate) setEnd(said *server.ModelResponse) {
	o.FinishReason = finishReasons[said.Finish]
	switch said.Finish {
	case server.Calling:
		o.FinishMessage = "Model generated function call(s)."
	case server.Blocked:
		o.SafetyRatings = json.RawMessage(blockedRatings)
	}
}

// encodeGenerateStream returns one chunk per piece of text. The usage in the chunks grows with the text.
// The signature of a text is in the last chunk.
func encodeGenerateStream(c *server.Call, r *generateRequest, said *server.ModelResponse) scripted.Response {
	if said.Finish == server.Blocked && said.Text == "" {
		return encodeChunks(c, []generateResponse{newGenerateResponse(c, r, said)})
	}
	var chunks []generateResponse
	so := said.Usage
	so.Output = so.Reasoning
	send := func(i int, p part, n int64, end bool) {
		so.Output += n
		a, one := newGenerateHead(c, so), candidate{Content: content{Role: "model", Parts: []part{p}}, Index: i}
		if end {
			a = newGenerateHead(c, said.Usage)
			one.setEnd(said)
		}
		a.Candidates = append(a.Candidates, one)
		chunks = append(chunks, a)
	}
	for i := range said.Responses {
		last := part{Text: new(string)}
		for _, p := range r.newParts(c.Model, said) {
			if p.Text == nil {
				send(i, p, server.Tokens(p.FunctionCall.Name+string(p.FunctionCall.Args)), false)
				continue
			}
			last.ThoughtSignature = p.ThoughtSignature
			for _, piece := range c.SplitForStream(*p.Text) {
				counted := server.Tokens(piece)
				if p.Thought {
					counted = 0
				}
				send(i, part{Text: &piece, Thought: p.Thought}, counted, false)
			}
		}
		send(i, last, 0, true)
	}
	return encodeChunks(c, chunks)
}

// encodeChunks encodes chunks as events, or as elements of one JSON array.
func encodeChunks(c *server.Call, chunks []generateResponse) scripted.Response {
	var all []string
	for i, chunk := range chunks {
		switch {
		case wantsEvents(c):
			all = append(all, "data: "+server.EncodeJSON(chunk)+"\r\n\r\n")
		case i == 0:
			all = append(all, "["+server.EncodeJSON(chunk))
		default:
			all = append(all, ",\r\n"+server.EncodeJSON(chunk))
		}
	}
	if wantsEvents(c) {
		return scripted.Stream(all...)
	}
	return scripted.Stream(append(all, "\r\n]")...).With("Content-Type", "application/json; charset=UTF-8")
}
