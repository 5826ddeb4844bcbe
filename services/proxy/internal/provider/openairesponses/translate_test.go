package openairesponses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// forEachCase runs f for every archive in a folder of testdata. f returns the result.
func forEachCase(t *testing.T, folder string, f func(t *testing.T, input []byte) string) {
	t.Helper()
	for _, c := range golden.ReadCases(t, filepath.Join("testdata", folder)) {
		t.Run(c.Name, func(t *testing.T) { c.Check(t, f(t, []byte(c.Input))) })
	}
}

// requestCase is a request in testdata.
type requestCase struct {
	Wire *catalog.Wire   `json:"wire"`
	Body json.RawMessage `json:"body"`
}

func (a requestCase) call(t *testing.T) provider.Call {
	t.Helper()
	r, err := requestbody.ParseChat(a.Body)
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: "pro", Wire: a.Wire}
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
	forEachCase(t, "requests", func(t *testing.T, text []byte) string {
		var a requestCase
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&a))
		call := a.call(t)
		before := bytes.Clone(call.Request.Body)
		out, err := translateRequest(call)
		require.Equal(t, before, call.Request.Body, "the client's body stays as it is")
		if err != nil {
			return formatError(err)
		}
		return "dropped: " + strings.Join(out.dropped, ", ") + "\n" + indentJSON(t, bytes.Join(out.pieces, nil))
	})
}

func TestResponses(t *testing.T) {
	forEachCase(t, "responses", func(t *testing.T, text []byte) string {
		out, err := translateResponse(text)
		if err != nil {
			return formatError(err)
		}
		_, err = normalize.Chat(out, normalize.Options{ID: "id", Model: "m"})
		require.Equal(t, bytes.HasPrefix(out, []byte(`{"error"`)), err != nil, "%v", err)
		return indentJSON(t, out)
	})
}

// translateStream returns the chunks of a stream and how it ends for the client.
func translateStream(t *testing.T, text []byte) string {
	t.Helper()
	var s streamTranslator
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
	return shown.String() + fmt.Sprintf("complete: %t\n", s.isComplete)
}

func TestStreams(t *testing.T) {
	forEachCase(t, "streams", translateStream)
}
