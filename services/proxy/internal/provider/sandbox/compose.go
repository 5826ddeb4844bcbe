package sandbox

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// pieceRunes is about what vendors put into one chunk.
const pieceRunes = 16

// maxHeard is how much of a message is searched for the names of tools.
const maxHeard = 4 << 10

// tokenBytes is the estimate that requests are counted by, too.
const tokenBytes = 4

// answer is what a model says, before it is written in the wire format.
type answer struct {
	id     string
	model  string
	pieces []string
	calls  []call
	finish string
	usage  usage
}

type call struct {
	id, name, arguments string
}

func (m model) compose(b *chatBody, r *openai.Request, f fault) *answer {
	a := &answer{id: idOf(r, m.name), model: m.name, finish: "stop"}
	output := int64(0)
	if f.Text == nil {
		a.calls = b.calls(a.id)
	}
	if len(a.calls) > 0 {
		a.finish = "tool_calls"
		for _, c := range a.calls {
			output += tokens(c.name + c.arguments)
		}
	} else {
		text := fill(m.text(b, f), int(f.Chunks))
		if most := r.MaxOutputTokens; most > 0 && tokens(text) > most {
			text, a.finish = cut(text, most*tokenBytes), "length"
		}
		a.pieces = split(text, int(f.Chunks))
		output = tokens(text)
	}
	a.usage = usage{Prompt: r.InputTokens, Completion: output, Total: r.InputTokens + output}
	return a
}

func (m model) text(b *chatBody, f fault) string {
	if f.Text != nil {
		return *f.Text
	}
	plain := m.plain(b.last())
	switch b.Format.Type {
	case "json_schema":
		return newSampler().text(b.Format.Schema.Schema)
	case "json_object":
		return encode(map[string]string{"sandbox": m.name, "answer": plain})
	}
	return plain
}

// plain repeats what was said, so that a person sees it went through.
func (m model) plain(last message) string {
	verb := "you said"
	if last.Role == "tool" {
		verb = "the tool answered"
	}
	said := []rune(last.text())
	if len(said) > m.echo {
		said = append(said[:m.echo:m.echo], []rune("...")...)
	}
	return fmt.Sprintf("Sandbox answer of %s: %s %q.%s", m.name, verb, string(said), m.closing)
}

// calls are the tools that a model would call: the one the caller demands, or
// those whose names the user mentions.
func (b *chatBody) calls(id string) []call {
	var all []call
	s := newSampler()
	for _, t := range b.wanted() {
		all = append(all, call{
			id:        fmt.Sprintf("call_%s_%d", strings.TrimPrefix(id, "sandbox-"), len(all)),
			name:      t.Function.Name,
			arguments: s.text(t.Function.Parameters),
		})
	}
	return all
}

func (b *chatBody) wanted() []tool {
	demand, name := choice(b.Choice)
	last := b.last()
	said := strings.ToLower(cut(last.text(), maxHeard))
	var named []tool
	for _, t := range b.Tools {
		n := strings.ToLower(t.Function.Name)
		switch {
		case n == "":
		case name != "" && t.Function.Name == name:
			return []tool{t}
		case strings.Contains(said, n), strings.Contains(said, strings.ReplaceAll(n, "_", " ")):
			named = append(named, t)
		}
	}
	switch {
	case demand == "none", demand != "required" && last.Role == "tool":
		return nil
	case len(named) == 0 && demand == "required" && len(b.Tools) > 0:
		return b.Tools[:1]
	case len(named) > 1 && b.Parallel != nil && !*b.Parallel:
		return named[:1]
	}
	return named
}

// choice reads tool_choice: a word, or the function that must be called.
func choice(raw jsontext.Value) (word, name string) {
	if json.Unmarshal(raw, &word) == nil {
		return word, ""
	}
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(raw, &named) != nil {
		return "", ""
	}
	return "required", named.Function.Name
}

// fill repeats the text until it can be cut into n pieces.
func fill(text string, n int) string {
	have := utf8.RuneCountInString(text)
	if have >= n {
		return text
	}
	if have == 0 {
		return strings.Repeat(".", n)
	}
	return strings.Repeat(text, (n+have-1)/have)
}

// split cuts the text into n pieces of about equal length, or by itself when n
// is 0.
func split(text string, n int) []string {
	runes := []rune(text)
	if n == 0 {
		n = (len(runes) + pieceRunes - 1) / pieceRunes
	}
	n = min(n, len(runes))
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = string(runes[i*len(runes)/n : (i+1)*len(runes)/n])
	}
	return pieces
}

// cut is the beginning of the text, whole characters, at most n bytes.
func cut(text string, n int64) string {
	if n >= int64(len(text)) {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func tokens(text string) int64 { return int64(len(text)+tokenBytes-1) / tokenBytes }
