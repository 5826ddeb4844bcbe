package trial

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// chat is what decisions depend on of a chat's body. The proxy's parser, which
// checks and keeps far more on its path, is the measure of it.
type chat struct {
	Model               string                      `json:"model"`
	Messages            []map[string]jsontext.Value `json:"messages"`
	Stream              bool                        `json:"stream"`
	MaxTokens           int64                       `json:"max_tokens"`
	MaxCompletionTokens int64                       `json:"max_completion_tokens"`
	Choices             int64                       `json:"n"`
	Tools               []jsontext.Value            `json:"tools"`
	Functions           []jsontext.Value            `json:"functions"`
	Format              jsontext.Value              `json:"response_format"`
	Logprobs            bool                        `json:"logprobs"`
	Metadata            map[string]any              `json:"metadata"`
}

// readChat completes a question by the body of a chat, and returns the excerpt
// that goes with it.
func readChat(q *decide.Question, body []byte) (text string, err error) {
	var c chat
	if err := json.Unmarshal(body, &c); err != nil {
		return "", invalid(err)
	}
	if len(c.Messages) == 0 {
		return "", invalid(errors.New("messages is missing"))
	}
	var t tally
	for _, m := range c.Messages {
		if err := t.message(m); err != nil {
			return "", invalid(err)
		}
	}
	tools := append(c.Tools, c.Functions...)
	for _, tool := range tools {
		t.text += len(tool)
	}
	t.text += len(c.Format)
	q.Model = named(c.Model, q.Model)
	q.MaxOutputTokens = smaller(c.MaxTokens, c.MaxCompletionTokens)
	q.Metadata = kept(c.Metadata)
	q.Needs = needs(&c, &t, len(tools))
	q.InputTokens = t.tokens(len(c.Messages), len(tools))
	q.Features = decide.NumbersOf(map[string]int64{
		"messages": int64(len(c.Messages)), "turns": t.turns, "text_bytes": int64(t.text), "user_bytes": int64(t.user),
		"tools": int64(len(tools)), "images": t.images, "max_output": q.MaxOutputTokens, "stream": flag(c.Stream),
	})
	return excerpt(t.last), nil
}

func needs(c *chat, t *tally, tools int) []catalog.Capability {
	var format struct {
		Type string `json:"type"`
	}
	// A format of another form asks for nothing that is known.
	_ = json.Unmarshal(c.Format, &format)
	var all []catalog.Capability
	for capability, needed := range map[catalog.Capability]bool{
		catalog.Tools: tools > 0, catalog.Vision: t.images > 0, catalog.Audio: t.audio > 0, catalog.Files: t.files > 0,
		catalog.Logprobs: c.Logprobs, catalog.Choices: c.Choices > 1,
		catalog.JSONObject: format.Type == string(catalog.JSONObject), catalog.JSONSchema: format.Type == string(catalog.JSONSchema),
	} {
		if needed {
			all = append(all, capability)
		}
	}
	return all // the engine sorts them
}

// kept are the pairs that a rule may ask for.
func kept(metadata map[string]any) map[string]string {
	all := map[string]string{}
	for name, v := range metadata {
		if text, ok := v.(string); ok {
			all[name] = text
		}
	}
	return all
}

// excerpt is as much of a text as a proxy sends, cut between two runes.
func excerpt(text string) string {
	const most = 8 << 10
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.Clone(text[:cut])
}

func invalid(err error) error {
	return apperr.New(apperr.InvalidRequest, "the body of the request cannot be taken: "+err.Error())
}

func named(model, route string) string {
	if model == "" {
		return route
	}
	return model
}

// smaller is the smaller one of two limits, of which 0 is none.
func smaller(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
