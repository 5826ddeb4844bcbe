package responses_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), path)
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	require.NoError(t, err)
	return append(b, '\n')
}

func toChat(t *testing.T, body string) *inbound.Translation {
	t.Helper()
	r, err := requestbody.ParseResponses([]byte(body))
	require.NoError(t, err)
	translation, err := responses.Protocol{}.ToChat(r)
	require.NoError(t, err)
	return translation
}

func TestRequestsBecomeChats(t *testing.T) {
	files, err := filepath.Glob("testdata/requests/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		translation := toChat(t, string(body))
		_, err = requestbody.ParseChat(translation.Body)
		require.NoError(t, err, file)
		got := indented(t, map[string]any{"dropped": translation.Dropped, "chat": json.RawMessage(translation.Body)})
		golden(t, strings.TrimSuffix(file, ".json")+".chat", got)
	}
}

func TestToChatRejectsStateOfOtherVendors(t *testing.T) {
	for body, param := range map[string]string{
		`{"model":"m","input":"x","previous_response_id":"r"}`:                                                        "previous_response_id",
		`{"model":"m","input":"x","conversation":"c"}`:                                                                "conversation",
		`{"model":"m","input":"x","background":true}`:                                                                 "background",
		`{"model":"m","input":"x","prompt":{"id":"p"}}`:                                                               "prompt",
		`{"model":"m","input":[{"type":"item_reference","id":"x"}]}`:                                                  "input[0]",
		`{"model":"m","input":[{"role":"user","content":"x"},{"type":"web_search_call"}]}`:                            "input[1]",
		`{"model":"m","input":[{"type":"reasoning","summary":[],"encrypted_content":"gAAA"}]}`:                        "input[0].encrypted_content",
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}]}`:                     "input[0].content[0].file_id",
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_video"}]}]}`:                                  "input[0].content[0]",
		`{"model":"m","input":"x","tool_choice":{"type":"web_search"}}`:                                               "tool_choice",
		`{"model":"m","input":"x","tool_choice":"required","tools":[{"type":"web_search"}]}`:                          "tool_choice",
		`{"model":"m","input":"x","tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"mcp"}]}}`: "tool_choice",
	} {
		r, err := requestbody.ParseResponses([]byte(body))
		require.NoError(t, err, body)
		require.NotEmpty(t, r.NativeOnly, "the parser must exclude the same requests: %s", body)
		_, err = responses.Protocol{}.ToChat(r)
		require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err), body)
		require.Equal(t, param, apperr.From(err).Details["param"], body)
	}
}

func TestToChatRejectsChangedState(t *testing.T) {
	for _, state := range []string{"sbx1.", "sbx1.!!", "sbx1.e30", "sbx1.WzFd", "sbx1.W3siYSI6MSwiYSI6Mn1d", "sbx1.W3siYSI6MWU0MDB9XQ"} {
		r, err := requestbody.ParseResponses([]byte(`{"model":"m","input":[{"type":"reasoning","encrypted_content":"` + state + `"}]}`))
		require.NoError(t, err)
		_, err = responses.Protocol{}.ToChat(r)
		require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err), state)
		require.Equal(t, "input[0].encrypted_content", apperr.From(err).Details["param"])
	}
}

func TestStripStateKeepsAllOtherBytes(t *testing.T) {
	const ours = `{"type":"reasoning","summary":[],"encrypted_content":"sbx1.W10"}`
	const foreign = `{"type":"reasoning", "summary":[],"encrypted_content":"gAAA"}`
	strip := func(input string) string {
		r, err := requestbody.ParseResponses([]byte(`{"model":"m","input" : [` + input + `] ,"x":1}`))
		require.NoError(t, err)
		stripped, err := responses.Protocol{}.StripState(r)
		require.NoError(t, err)
		require.False(t, stripped.HasGatewayState)
		return string(stripped.Body)
	}
	require.Equal(t, `{"model":"m","input" : [`+foreign+`] ,"x":1}`, strip(ours+","+foreign))
	require.Equal(t, `{"model":"m","input" : [`+foreign+`] ,"x":1}`, strip(foreign+","+ours))
	require.Equal(t, `{"model":"m","input" : [ `+foreign+` ] ,"x":1}`, strip(" "+foreign+" "), "nothing to strip")
}

func TestToolNamesAreUniqueAndStable(t *testing.T) {
	names := func(tools string) (got []string) {
		translation := toChat(t, `{"model":"m","input":"x","tools":[`+tools+`]}`)
		var chat struct {
			Tools []struct{ Function struct{ Name string } }
		}
		require.NoError(t, json.Unmarshal(translation.Body, &chat))
		for _, tool := range chat.Tools {
			require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, tool.Function.Name)
			got = append(got, tool.Function.Name)
		}
		return got
	}
	const a, b = `{"type":"namespace","name":"n","tools":[{"type":"function","name":"x.y"},{"type":"function","name":"x/y"},{"type":"function","name":"z"}]}`, `{"type":"function","name":"n__z"}`
	first, second := names(a+","+b), names(b+","+a)
	require.Len(t, first, 4)
	require.ElementsMatch(t, first, second, "the order of tools does not matter")
	require.Contains(t, first, "n__z")
	seen := map[string]bool{}
	for _, name := range first {
		require.False(t, seen[name], name)
		seen[name] = true
	}
}
