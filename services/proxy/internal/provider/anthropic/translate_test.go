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
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

var update = flag.Bool("update", false, "write the golden files")

// compareGolden compares got with the golden file, or writes it with -update.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// forEachFile runs f for every matching file of testdata, with the path of its golden
// file.
func forEachFile(t *testing.T, pattern, suffix string, f func(t *testing.T, text []byte, goldenFile string)) {
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

// requestCase is a request in testdata.
type requestCase struct {
	Wire      *catalog.Wire   `json:"wire"`
	MaxOutput int64           `json:"max_output"`
	Body      json.RawMessage `json:"body"`
}

func (a requestCase) call(t *testing.T) provider.Call {
	t.Helper()
	r, err := requestbody.ParseChat(a.Body)
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: "claude", Wire: a.Wire, MaxOutputTokens: a.MaxOutput}
}

func indentJSON(t *testing.T, body []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(body))
	require.NoError(t, v.Indent(), "%s", body)
	return string(v) + "\n"
}

func formatError(err error) string {
	e := apperr.From(err)
	param, _ := e.Details["param"].(string)
	return string(e.Code) + " " + param + "\n" + e.Message + "\n"
}

func TestRequests(t *testing.T) {
	forEachFile(t, "requests/*.json", ".json", func(t *testing.T, text []byte, file string) {
		var a requestCase
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&a))
		call := a.call(t)
		before := bytes.Clone(call.Request.Body)
		out, err := translateRequest(call)
		require.Equal(t, before, call.Request.Body, "the client's body stays as it is")
		if err != nil {
			compareGolden(t, file, formatError(err))
			return
		}
		compareGolden(t, file, "dropped: "+strings.Join(out.dropped, ", ")+"\n"+indentJSON(t, bytes.Join(out.pieces, nil)))
	})
}

func TestResponses(t *testing.T) {
	forEachFile(t, "answers/*.json", ".json", func(t *testing.T, text []byte, file string) {
		out, err := translateResponse(text, &toolNames{originals: map[string]string{"look_up_1": "look.up"}})
		if err != nil {
			compareGolden(t, file, formatError(err))
			return
		}
		compareGolden(t, file, indentJSON(t, out))
		_, err = normalize.Chat(out, normalize.Options{ID: "id", Model: "m"})
		require.Equal(t, bytes.Contains(out, []byte(`"error"`)), err != nil, "%v", err)
	})
}

// translateStream returns the chunks of a stream and how it ends for the client.
func translateStream(t *testing.T, text []byte) string {
	t.Helper()
	s := streamTranslator{names: &toolNames{originals: map[string]string{"look_up_1": "look.up"}}}
	client := normalize.NewStream(normalize.StreamOptions{ID: "id", Model: "m"})
	var shown strings.Builder
	for line := range strings.Lines(strings.TrimSpace(string(text))) {
		chunk, err := s.translateEvent(nil, []byte(strings.TrimSpace(line)))
		if err != nil {
			return shown.String() + formatError(err)
		}
		if len(chunk) == 0 {
			continue
		}
		shown.WriteString(string(chunk) + "\n")
		if _, err := client.AppendEvent(nil, chunk); err != nil {
			return shown.String() + "the client gets an error\n"
		}
	}
	if _, err := client.Finish(nil); err != nil {
		shown.WriteString(formatError(err))
	}
	return shown.String() + fmt.Sprintf("over: %t\n", s.isComplete)
}

func TestStreams(t *testing.T) {
	forEachFile(t, "streams/*.txt", ".txt", func(t *testing.T, text []byte, file string) {
		compareGolden(t, file, translateStream(t, text))
	})
}
