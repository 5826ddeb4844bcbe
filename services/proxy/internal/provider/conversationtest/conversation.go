package conversationtest

import (
	"embed"
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// files are the requests of clients, without stream, which the suite adds. What
// is said after an answer to NAME.json is in NAME.then.json, a list of lists of
// messages, in which $1 is the id of the answer's first call.
//
//go:embed testdata/*.json
var files embed.FS

type conversation struct {
	name, body string
	then       []string
}

func all(t *testing.T) []conversation {
	t.Helper()
	entries, err := files.ReadDir("testdata")
	require.NoError(t, err)
	var list []conversation
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".json")
		if strings.HasSuffix(name, ".then") {
			continue
		}
		c := conversation{name: name, body: strings.TrimSpace(read(t, e.Name()))}
		if after, err := files.ReadFile(path.Join("testdata", name+".then.json")); err == nil {
			for turn := range jsonscan.Elements(after) {
				c.then = append(c.then, string(turn))
			}
		}
		list = append(list, c)
	}
	return list
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := files.ReadFile(path.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// embeds tells whether it is about embeddings.
func (c conversation) embeds() bool { return members(c.body)["input"] != nil }

// onlyStreams tells whether it is about what becomes of a stream; the plain
// form is then another matter.
func (c conversation) onlyStreams() bool { return strings.HasPrefix(c.name, "stream-") }

// has tells whether a conversation asks the vendor for something odd.
func (c conversation) has(directive string) bool {
	_, list, found := strings.Cut(c.body, "[[emulate:")
	list, _, _ = strings.Cut(list, "]]")
	for item := range strings.SplitSeq(list, ";") {
		name, _, _ := strings.Cut(item, "=")
		if found && name == directive {
			return true
		}
	}
	return false
}

// members are those of an object, as they stand.
func members(object string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for name, v := range jsonscan.Members([]byte(object)) {
		m[string(name)] = json.RawMessage(v)
	}
	return m
}

// inForm is the request as the client sends it.
func inForm(body string, stream bool) string {
	if !stream {
		return body
	}
	return `{"stream": true, "stream_options": {"include_usage": true}, ` + strings.TrimLeft(body[1:], " \n")
}

// goOn is the next request: the conversation so far, the answer as the client
// got it, and what is said after it.
func (x *exchange) goOn(t *testing.T, body, then string) string {
	t.Helper()
	var a answer
	require.NoError(t, json.Unmarshal(x.answer, &a))
	message := string(a.Choices[0].Message)
	for i, c := range a.said(t).Calls {
		then = strings.ReplaceAll(then, "$"+string(rune('1'+i)), c.ID)
	}
	before := string(members(body)["messages"])
	more := strings.TrimSpace(before[:len(before)-1]) + ",\n" + message + "," + strings.TrimSpace(then)[1:]
	return strings.Replace(body, before, more, 1)
}
