package sandbox

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

// chunkRunes is roughly how many characters vendors send in one chunk.
const chunkRunes = 16

// maxSearchedBytes limits how many bytes of a message are searched for tool names.
const maxSearchedBytes = 4 << 10

// bytesPerToken is the estimate that package tokens uses, too.
const bytesPerToken = 4

// response is the content of a response, before it is encoded.
type response struct {
	id     string
	model  string
	pieces []string
	calls  []toolCall
	finish string
	usage  usage
}

type toolCall struct {
	id, name, arguments string
}

func (m model) composeResponse(b *chatRequest, r *requestbody.Request, f fault) *response {
	a := &response{id: responseID(r, m.name), model: m.name, finish: "stop"}
	output := int64(0)
	if f.Text == nil {
		a.calls = b.composeToolCalls(a.id)
	}
	if len(a.calls) > 0 {
		a.finish = "tool_calls"
		for _, c := range a.calls {
			output += estimateTokens(c.name + c.arguments)
		}
	} else {
		text := repeatText(m.responseText(b, f), int(f.Chunks))
		if most := r.MaxOutputTokens; most > 0 && estimateTokens(text) > most {
			text, a.finish = truncateText(text, most*bytesPerToken), "length"
		}
		a.pieces = splitText(text, int(f.Chunks))
		output = estimateTokens(text)
	}
	a.usage = usage{Prompt: r.InputTokens, Completion: output, Total: r.InputTokens + output}
	return a
}

func (m model) responseText(b *chatRequest, f fault) string {
	if f.Text != nil {
		return *f.Text
	}
	echo := m.echoText(b.lastInput())
	switch b.ResponseFormat.Type {
	case "json_schema":
		return newSchemaSampler().sampleJSON(b.ResponseFormat.Schema.Schema)
	case "json_object":
		return encodeOrEmpty(map[string]string{"sandbox": m.name, "answer": echo})
	}
	return echo
}

// echoText returns a text that repeats the input, so that users see that it arrived.
func (m model) echoText(last message) string {
	verb := "you said"
	if last.Role == "tool" {
		verb = "the tool answered"
	}
	input := []rune(last.textContent())
	if len(input) > m.maxEcho {
		input = append(input[:m.maxEcho:m.maxEcho], []rune("...")...)
	}
	return fmt.Sprintf("Sandbox answer of %s: %s %q.%s", m.name, verb, string(input), m.suffix)
}

// composeToolCalls returns one call for each selected tool, with generated arguments.
func (b *chatRequest) composeToolCalls(id string) []toolCall {
	var all []toolCall
	s := newSchemaSampler()
	for _, t := range b.selectTools() {
		all = append(all, toolCall{
			id:        fmt.Sprintf("call_%s_%d", strings.TrimPrefix(id, "sandbox-"), len(all)),
			name:      t.Function.Name,
			arguments: s.sampleJSON(t.Function.Parameters),
		})
	}
	return all
}

// selectTools returns the tools to call: the tool that tool_choice names, or else the tools
// that the last input mentions by name. If tool_choice is "required" and no tool is
// mentioned, it returns the first tool. If tool_choice is "none", it returns no tool. After a
// tool result it returns tools only if tool_choice requires a call. If the request forbids
// parallel calls, it returns at most one tool.
func (b *chatRequest) selectTools() []tool {
	mode, name := parseToolChoice(b.ToolChoice)
	last := b.lastInput()
	input := strings.ToLower(truncateText(last.textContent(), maxSearchedBytes))
	var named []tool
	for _, t := range b.Tools {
		n := strings.ToLower(t.Function.Name)
		switch {
		case n == "":
		case name != "" && t.Function.Name == name:
			return []tool{t}
		case strings.Contains(input, n), strings.Contains(input, strings.ReplaceAll(n, "_", " ")):
			named = append(named, t)
		}
	}
	switch {
	case mode == "none", mode != "required" && last.Role == "tool":
		return nil
	case len(named) == 0 && mode == "required" && len(b.Tools) > 0:
		return b.Tools[:1]
	case len(named) > 1 && b.Parallel != nil && !*b.Parallel:
		return named[:1]
	}
	return named
}

// parseToolChoice returns the mode of tool_choice. If tool_choice names a function, it
// returns the mode "required" and the name.
func parseToolChoice(raw jsontext.Value) (mode, name string) {
	if json.Unmarshal(raw, &mode) == nil {
		return mode, ""
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

// repeatText repeats the text until it has at least n characters.
func repeatText(text string, n int) string {
	length := utf8.RuneCountInString(text)
	if length >= n {
		return text
	}
	if length == 0 {
		return strings.Repeat(".", n)
	}
	return strings.Repeat(text, (n+length-1)/length)
}

// splitText splits the text into n pieces of about equal length. If n is 0, the pieces have
// about chunkRunes characters.
func splitText(text string, n int) []string {
	runes := []rune(text)
	if n == 0 {
		n = (len(runes) + chunkRunes - 1) / chunkRunes
	}
	n = min(n, len(runes))
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = string(runes[i*len(runes)/n : (i+1)*len(runes)/n])
	}
	return pieces
}

// truncateText returns at most n bytes of the text, without splitting a character.
func truncateText(text string, n int64) string {
	if n >= int64(len(text)) {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func estimateTokens(text string) int64 { return int64(len(text)+bytesPerToken-1) / bytesPerToken }
