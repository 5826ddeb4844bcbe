package sdktypes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"
)

// responsesRequests contains the requests that the gateway sends to providers of the Responses
// API. It is a link for the same reason as responsesGolden.
const responsesRequests = "testdata/responses-requests"

// readRequest returns the translated request in a golden file. It returns "" if the file
// contains an error instead.
func readRequest(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	_, result, found := strings.Cut(string(text), "-- result --\n")
	require.True(t, found, file)
	_, body, _ := strings.Cut(result, "\n")
	if !strings.HasPrefix(result, "dropped:") {
		return ""
	}
	return body
}

// The vendor's own types have every member of our requests, so nothing is lost if a request is
// read into them and written again.
func TestVendorTypesReadOurRequests(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(responsesRequests, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		body := readRequest(t, file)
		if body == "" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			var request responses.ResponseNewParams
			require.NoError(t, json.Unmarshal([]byte(body), &request))
			written, err := json.Marshal(request)
			require.NoError(t, err)
			require.JSONEq(t, withoutSpecialMembers(t, body), string(written))
		})
	}
}

// withoutSpecialMembers removes the member stream, which the library sets itself. The library
// does not read the choice of one tool back, although it can write it. So this choice is checked
// and shortened to what the library reads.
func withoutSpecialMembers(t *testing.T, body string) string {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(body), &members))
	delete(members, "stream")
	var choice struct{ Type, Name string }
	if json.Unmarshal(members["tool_choice"], &choice) == nil && choice.Name != "" {
		requireToolChoice(t, choice.Type, choice.Name, string(members["tool_choice"]))
		members["tool_choice"] = json.RawMessage(`{"type":"` + choice.Type + `"}`)
	}
	text, err := json.Marshal(members)
	require.NoError(t, err)
	return string(text)
}

func requireToolChoice(t *testing.T, kind, name, got string) {
	t.Helper()
	choices := map[string]any{"function": responses.ToolChoiceFunctionParam{Name: name}, "custom": responses.ToolChoiceCustomParam{Name: name}}
	want, err := json.Marshal(choices[kind])
	require.NoError(t, err)
	require.JSONEq(t, string(want), got)
}
