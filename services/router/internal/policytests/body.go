package policytests

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

// chatBody holds the fields of a chat request on which decisions depend. The proxy's
// parser reads the same fields, but also checks them and reads others.
type chatBody struct {
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

// readChat sets the fields of q from the body of a chat request. It returns the excerpt of
// the prompt that a proxy would send to the router.
func readChat(q *decide.Question, body []byte) (text string, err error) {
	var c chatBody
	if err := json.Unmarshal(body, &c); err != nil {
		return "", invalidRequestError(err)
	}
	if len(c.Messages) == 0 {
		return "", invalidRequestError(errors.New("messages is missing"))
	}
	var t messageStats
	for _, m := range c.Messages {
		if err := t.addMessage(m); err != nil {
			return "", invalidRequestError(err)
		}
	}
	tools := append(c.Tools, c.Functions...)
	for _, tool := range tools {
		t.textBytes += len(tool)
	}
	t.textBytes += len(c.Format)
	q.Model = modelOrRoute(c.Model, q.Model)
	q.MaxOutputTokens = smallerLimit(c.MaxTokens, c.MaxCompletionTokens)
	q.Metadata = stringMetadata(c.Metadata)
	q.Needs = requiredCapabilities(&c, &t, len(tools))
	q.InputTokens = t.estimateTokens(len(c.Messages), len(tools))
	q.Features = decide.NamedValuesFromMap(map[string]int64{
		"messages": int64(len(c.Messages)), "turns": t.turns, "text_bytes": int64(t.textBytes), "user_bytes": int64(t.userBytes),
		"tools": int64(len(tools)), "images": t.images, "max_output": q.MaxOutputTokens, "stream": boolToInt(c.Stream),
	})
	return cutExcerpt(t.lastUserText), nil
}

func requiredCapabilities(c *chatBody, t *messageStats, tools int) []catalog.Capability {
	var format struct {
		Type string `json:"type"`
	}
	// An unknown format requires no capability.
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
	return all // decide sorts them
}

// stringMetadata returns only the string values, because rules match only strings.
func stringMetadata(metadata map[string]any) map[string]string {
	all := map[string]string{}
	for name, v := range metadata {
		if text, ok := v.(string); ok {
			all[name] = text
		}
	}
	return all
}

// cutExcerpt returns the start of a text, with at most as many bytes as a proxy sends. It
// does not split a rune.
func cutExcerpt(text string) string {
	const maxBytes = 8 << 10
	if len(text) <= maxBytes {
		return text
	}
	cut := maxBytes
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.Clone(text[:cut])
}

func invalidRequestError(err error) error {
	return apperr.New(apperr.InvalidRequest, "the request body is not valid: "+err.Error())
}

func modelOrRoute(model, route string) string {
	if model == "" {
		return route
	}
	return model
}

// smallerLimit returns the smaller of two limits. Zero means no limit.
func smallerLimit(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
