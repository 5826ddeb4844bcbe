package anthropic

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with the file, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// each runs f on every file of testdata that matches, with the name of the
// golden beside it.
func each(t *testing.T, pattern, suffix string, f func(t *testing.T, text []byte, goldenFile string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), suffix), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			f(t, text, strings.TrimSuffix(file, suffix)+".golden")
		})
	}
}

// asked is a request of testdata.
type asked struct {
	Wire      *catalog.Wire   `json:"wire"`
	MaxOutput int64           `json:"max_output"`
	Body      json.RawMessage `json:"body"`
}

func (a asked) call(t *testing.T) provider.Call {
	t.Helper()
	r, err := openai.ParseChat(a.Body)
	require.NoError(t, err)
	return provider.Call{Request: r, Upstream: "claude", Wire: a.Wire, MaxOutput: a.MaxOutput}
}

func indented(t *testing.T, body []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(body))
	require.NoError(t, v.Indent(), "%s", body)
	return string(v) + "\n"
}

func refusalOf(err error) string {
	e := apperr.From(err)
	param, _ := e.Details["param"].(string)
	return string(e.Code) + " " + param + "\n" + e.Message + "\n"
}

func TestRequests(t *testing.T) {
	each(t, "requests/*.json", ".json", func(t *testing.T, text []byte, file string) {
		var a asked
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&a))
		call := a.call(t)
		before := bytes.Clone(call.Request.Body)
		out, err := translate(call)
		require.Equal(t, before, call.Request.Body, "the client's body stays as it is")
		if err != nil {
			golden(t, file, refusalOf(err))
			return
		}
		golden(t, file, "dropped: "+strings.Join(out.dropped, ", ")+"\n"+indented(t, bytes.Join(out.pieces, nil)))
	})
}

func TestAnswers(t *testing.T) {
	each(t, "answers/*.json", ".json", func(t *testing.T, text []byte, file string) {
		out, err := translateAnswer(text, &names{own: map[string]string{"look_up_1": "look.up"}})
		if err != nil {
			golden(t, file, refusalOf(err))
			return
		}
		golden(t, file, indented(t, out))
		_, err = openai.ChatAnswer(out, openai.AnswerOptions{ID: "id", Model: "m"})
		require.Equal(t, bytes.Contains(out, []byte(`"error"`)), err != nil, "%v", err)
	})
}

// streamed is what a stream of payloads becomes: the chunks, and how it ends for
// the client.
func streamed(t *testing.T, text []byte) string {
	t.Helper()
	s := stream{names: &names{own: map[string]string{"look_up_1": "look.up"}}}
	client := openai.NewStream(openai.StreamOptions{ID: "id", Model: "m"})
	var shown strings.Builder
	for line := range strings.Lines(strings.TrimSpace(string(text))) {
		chunk, err := s.event(nil, []byte(strings.TrimSpace(line)))
		if err != nil {
			return shown.String() + refusalOf(err)
		}
		if len(chunk) == 0 {
			continue
		}
		shown.WriteString(string(chunk) + "\n")
		if _, err := client.Event(nil, chunk); err != nil {
			return shown.String() + "the client gets an error\n"
		}
	}
	if _, err := client.Finish(nil); err != nil {
		shown.WriteString(refusalOf(err))
	}
	return shown.String() + fmt.Sprintf("over: %t\n", s.over)
}

func TestStreams(t *testing.T) {
	each(t, "streams/*.txt", ".txt", func(t *testing.T, text []byte, file string) {
		golden(t, file, streamed(t, text))
	})
}
