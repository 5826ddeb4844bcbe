package policytests

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/decide"
)

// messageStats counts the parts of messages.
type messageStats struct {
	turns, images, audio, files int64
	// textBytes counts the bytes of messages, tools and the response format.
	textBytes int
	// userBytes counts the bytes of user messages.
	userBytes int
	// lastUserText is the text of the user's last message.
	lastUserText string
}

func (t *messageStats) addMessage(m map[string]jsontext.Value) error {
	var role string
	if err := json.Unmarshal(m["role"], &role); err != nil {
		return err
	}
	before := t.textBytes
	said, err := t.addContent(m["content"])
	if err != nil {
		return err
	}
	for name, v := range m {
		if name != "role" && name != "content" {
			t.textBytes += len(v)
		}
	}
	if role == "user" {
		t.turns++
		t.userBytes += t.textBytes - before
		t.lastUserText = said
	}
	return nil
}

// addContent reads the content of a message: a string, null, or an array of parts.
func (t *messageStats) addContent(v jsontext.Value) (said string, err error) {
	switch v.Kind() {
	case jsontext.KindBeginArray:
		var parts []map[string]jsontext.Value
		if err := json.Unmarshal(v, &parts); err != nil {
			return "", err
		}
		return t.addParts(parts), nil
	case jsontext.KindInvalid, jsontext.KindNull:
		return "", nil
	}
	err = json.Unmarshal(v, &said)
	t.textBytes += len(said)
	return said, err
}

// addParts counts the parts of a message and returns their text. The kind of a part is the
// field that contains its data.
func (t *messageStats) addParts(all []map[string]jsontext.Value) string {
	var texts []string
	for _, part := range all {
		t.images += countMember(part, "image_url")
		t.audio += countMember(part, "input_audio")
		t.files += countMember(part, "file")
		var text string
		if err := json.Unmarshal(part["text"], &text); err == nil {
			texts = append(texts, text)
			t.textBytes += len(text)
		}
	}
	return strings.Join(texts, "\n")
}

func countMember(part map[string]jsontext.Value, name string) int64 {
	_, ok := part[name]
	return boolToInt(ok)
}

// Rough estimates: the bytes of text per token, and the tokens of everything else.
const (
	bytesPerToken                                                   = 4
	tokensPerChat, tokensPerMessage, tokensPerTool, tokensPerMedium = 3, 4, 4, 765
)

// estimateTokens estimates the tokens from the length of the text. A proxy also considers
// the kind of text, so a test must not depend on an exact number of tokens.
func (t *messageStats) estimateTokens(messages, tools int) int64 {
	media := t.images + t.audio + t.files
	return tokensForBytes(t.textBytes) + int64(tokensPerChat+tokensPerMessage*messages+tokensPerTool*tools) + tokensPerMedium*media
}

func tokensForBytes(n int) int64 { return int64(n+bytesPerToken-1) / bytesPerToken }

// readEmbeddings sets the fields of q from the body of an embeddings request. The input is
// a string, a list of tokens, or an array of either.
func readEmbeddings(q *decide.Question, body []byte) error {
	var e struct {
		Model string         `json:"model"`
		Input jsontext.Value `json:"input"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return invalidRequestError(err)
	}
	inputs := []jsontext.Value{e.Input}
	if err := json.Unmarshal(e.Input, &inputs); err != nil || len(inputs) > 0 && inputs[0].Kind() == jsontext.KindNumber {
		inputs = []jsontext.Value{e.Input}
	}
	bytes := 0
	for _, input := range inputs {
		var text string
		var ids []int64
		switch {
		case json.Unmarshal(input, &text) == nil:
			bytes += len(text)
			q.InputTokens += tokensForBytes(len(text))
		case json.Unmarshal(input, &ids) == nil:
			q.InputTokens += int64(len(ids))
		default:
			return invalidRequestError(errors.New("input must be a string, a list of tokens, or an array of either"))
		}
	}
	q.Model = modelOrRoute(e.Model, q.Model)
	q.Features = decide.NamedValuesFromMap(map[string]int64{"inputs": int64(len(inputs)), "text_bytes": int64(bytes)})
	return nil
}
