package trial

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/decide"
)

// tally counts what messages have.
type tally struct {
	turns, images, audio, files int64
	// text and user are in bytes: of all messages, and of the user's.
	text, user int
	// last is the text of the last message of the user.
	last string
}

func (t *tally) message(m map[string]jsontext.Value) error {
	var role string
	if err := json.Unmarshal(m["role"], &role); err != nil {
		return err
	}
	before := t.text
	said, err := t.content(m["content"])
	if err != nil {
		return err
	}
	for name, v := range m {
		if name != "role" && name != "content" {
			t.text += len(v)
		}
	}
	if role == "user" {
		t.turns++
		t.user += t.text - before
		t.last = said
	}
	return nil
}

// content is a text, null, or an array of parts.
func (t *tally) content(v jsontext.Value) (said string, err error) {
	switch v.Kind() {
	case jsontext.KindBeginArray:
		var parts []map[string]jsontext.Value
		if err := json.Unmarshal(v, &parts); err != nil {
			return "", err
		}
		return t.parts(parts), nil
	case jsontext.KindInvalid, jsontext.KindNull:
		return "", nil
	}
	err = json.Unmarshal(v, &said)
	t.text += len(said)
	return said, err
}

// parts are told by the member that has the data.
func (t *tally) parts(all []map[string]jsontext.Value) string {
	var texts []string
	for _, part := range all {
		t.images += has(part, "image_url")
		t.audio += has(part, "input_audio")
		t.files += has(part, "file")
		var text string
		if err := json.Unmarshal(part["text"], &text); err == nil {
			texts = append(texts, text)
			t.text += len(text)
		}
	}
	return strings.Join(texts, "\n")
}

func has(part map[string]jsontext.Value, name string) int64 {
	_, ok := part[name]
	return flag(ok)
}

// What a chat has beside its text, and how long a token is, about.
const (
	bytesPerToken                           = 4
	perChat, perMessage, perTool, perMedium = 3, 4, 4, 765
)

// tokens goes by the length of the text. A proxy also looks at what kind of
// text it is, so a test should not stand on a few tokens.
func (t *tally) tokens(messages, tools int) int64 {
	media := t.images + t.audio + t.files
	return ofBytes(t.text) + int64(perChat+perMessage*messages+perTool*tools) + perMedium*media
}

func ofBytes(n int) int64 { return int64(n+bytesPerToken-1) / bytesPerToken }

// readEmbeddings completes a question by the body of an embeddings call, whose
// input is a text, tokens, or an array of either.
func readEmbeddings(q *decide.Question, body []byte) error {
	var e struct {
		Model string         `json:"model"`
		Input jsontext.Value `json:"input"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return invalid(err)
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
			q.InputTokens += ofBytes(len(text))
		case json.Unmarshal(input, &ids) == nil:
			q.InputTokens += int64(len(ids))
		default:
			return invalid(errors.New("input must be a text, tokens, or an array of either"))
		}
	}
	q.Model = named(e.Model, q.Model)
	q.Features = decide.NumbersOf(map[string]int64{"inputs": int64(len(inputs)), "text_bytes": int64(bytes)})
	return nil
}
