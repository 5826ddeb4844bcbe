package emulate

import (
	"encoding/json"

	"github.com/signalbox/signalbox/pkg/scripted"
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

var geminiFinish = map[finish]string{finished: "STOP", stopped: "STOP", atTokenLimit: "MAX_TOKENS", calling: "STOP", blocked: "SAFETY"}

const (
	blockedFeedback = `{"blockReason":"SAFETY","safetyRatings":[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","probability":"HIGH","blocked":true}]}`
	blockedRatings  = `[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","probability":"HIGH","blocked":true}]`
)

// encodeGenerateUsage returns Gemini's token counts. The tokens of candidates do not include thoughts.
func encodeGenerateUsage(u Usage) any {
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

func newGenerateHead(c *call, u Usage) generateResponse {
	r := generateResponse{ModelVersion: c.model, ResponseID: c.id}
	if !c.directives.has("usageless") {
		r.UsageMetadata = encodeGenerateUsage(u)
	}
	return r
}

// newParts returns the parts of a response. Gemini 3 signs the first function call. If there is no call,
// it signs the text.
func (r *generateRequest) newParts(model string, said *modelResponse) []part {
	var all []part
	signed := isGemini3(model)
	if t := r.GenerationConfig.ThinkingConfig; t != nil && t.IncludeThoughts && said.thinking != "" {
		all = append(all, part{Text: &said.thinking, Thought: true})
	}
	if said.text != "" {
		p := part{Text: &said.text}
		if signed && len(said.calls) == 0 {
			p.ThoughtSignature = makeSignature("text")
		}
		all = append(all, p)
	}
	for i, t := range said.calls {
		f := &functionCall{Name: t.name, Args: json.RawMessage(t.args)}
		p := part{FunctionCall: f}
		if signed && i == 0 {
			p.ThoughtSignature = f.sign()
		}
		all = append(all, p)
	}
	return all
}

func newGenerateResponse(c *call, r *generateRequest, said *modelResponse) generateResponse {
	a := newGenerateHead(c, said.usage)
	if said.finish == blocked && said.text == "" {
		a.PromptFeedback = json.RawMessage(blockedFeedback)
		return a
	}
	for i := range said.choiceCount {
		one := candidate{Content: content{Role: "model", Parts: r.newParts(c.model, said)}, Index: i}
		one.setEnd(said)
		a.Candidates = append(a.Candidates, one)
	}
	return a
}

func (o *candidate) setEnd(said *modelResponse) {
	o.FinishReason = geminiFinish[said.finish]
	switch said.finish {
	case calling:
		o.FinishMessage = "Model generated function call(s)."
	case blocked:
		o.SafetyRatings = json.RawMessage(blockedRatings)
	}
}

// encodeGenerateStream returns one chunk for each piece of text and each function call, and a last chunk.
// The usage in the chunks grows with the text. The signature of a text is in the last chunk.
func encodeGenerateStream(c *call, r *generateRequest, said *modelResponse) scripted.Response {
	if said.finish == blocked && said.text == "" {
		return encodeChunks(c, []generateResponse{newGenerateResponse(c, r, said)})
	}
	var chunks []generateResponse
	so := said.usage
	so.Output = so.Reasoning
	send := func(i int, p part, n int64, end bool) {
		so.Output += n
		a, one := newGenerateHead(c, so), candidate{Content: content{Role: "model", Parts: []part{p}}, Index: i}
		if end {
			a = newGenerateHead(c, said.usage)
			one.setEnd(said)
		}
		a.Candidates = append(a.Candidates, one)
		chunks = append(chunks, a)
	}
	for i := range said.choiceCount {
		last := part{Text: new(string)}
		for _, p := range r.newParts(c.model, said) {
			if p.Text == nil {
				send(i, p, Tokens(p.FunctionCall.Name+string(p.FunctionCall.Args)), false)
				continue
			}
			last.ThoughtSignature = p.ThoughtSignature
			for _, piece := range c.splitForStream(*p.Text) {
				counted := Tokens(piece)
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
func encodeChunks(c *call, chunks []generateResponse) scripted.Response {
	var all []string
	for i, chunk := range chunks {
		switch {
		case c.wantsEvents():
			all = append(all, "data: "+encodeJSON(chunk)+"\r\n\r\n")
		case i == 0:
			all = append(all, "["+encodeJSON(chunk))
		default:
			all = append(all, ",\r\n"+encodeJSON(chunk))
		}
	}
	if c.wantsEvents() {
		return scripted.Stream(all...)
	}
	return scripted.Stream(append(all, "\r\n]")...).WithHeader("Content-Type", "application/json; charset=UTF-8")
}
