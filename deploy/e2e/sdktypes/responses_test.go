// Package sdktypes checks with the types of vendors' libraries what the gateway writes for
// their clients. It needs no gateway: it reads the golden files of the protocols.
package sdktypes

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	openai1 "github.com/openai/openai-go"
	option1 "github.com/openai/openai-go/option"
	responses1 "github.com/openai/openai-go/responses"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"
)

// responsesGolden contains the streams and responses that the gateway writes for clients of
// the Responses protocol. It is a link, because go test reuses a cached result if only files
// outside the module change.
const responsesGolden = "testdata/responses"

// keepAlive is what the gateway sends while a stream is idle.
const keepAlive = ": keepalive\n"

func goldenFiles(t *testing.T, suffix string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(responsesGolden, "*"+suffix))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts[strings.TrimSuffix(filepath.Base(file), suffix)] = string(text)
	}
	return texts
}

func serveText(t *testing.T, contentType, text string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The vendor's own types contain every event of our streams, and every member that they
// require is present.
func TestVendorTypesReadResponsesStreams(t *testing.T) {
	for name, text := range goldenFiles(t, ".events") {
		t.Run(name, func(t *testing.T) {
			withPauses := keepAlive + strings.ReplaceAll(text, "\n\n", "\n\n"+keepAlive)
			client := openai.NewClient(option.WithBaseURL(serveText(t, "text/event-stream", withPauses)), option.WithAPIKey("k"))
			stream := client.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{})
			var output string
			var last responses.ResponseStreamEventUnion
			count := 0
			for ; stream.Next(); count++ {
				last = stream.Current()
				require.NotNil(t, last.AsAny(), last.RawJSON())
				requireMembers(t, last.Type, reflect.ValueOf(last.AsAny()))
				output += textDelta(last)
			}
			require.NoError(t, stream.Err())
			require.Equal(t, strings.Count(text, "\n\n"), count)
			require.Contains(t, []string{"response.completed", "response.incomplete"}, last.Type)
			require.Equal(t, output, last.Response.OutputText())
			require.EqualValues(t, 120, last.Response.Usage.TotalTokens)
		})
	}
}

func textDelta(e responses.ResponseStreamEventUnion) string {
	if e.Type == "response.output_text.delta" {
		return e.AsResponseOutputTextDelta().Delta
	}
	return ""
}

// An old version of the library fails on events without data, so it also checks the
// keep-alives.
func TestOldVendorTypesReadResponsesStreams(t *testing.T) {
	for name, text := range goldenFiles(t, ".events") {
		t.Run(name, func(t *testing.T) {
			withPauses := keepAlive + strings.ReplaceAll(text, "\n\n", "\n\n"+keepAlive)
			client := openai1.NewClient(option1.WithBaseURL(serveText(t, "text/event-stream", withPauses)), option1.WithAPIKey("k"))
			stream := client.Responses.NewStreaming(t.Context(), responses1.ResponseNewParams{})
			count := 0
			for ; stream.Next(); count++ {
				require.EqualValues(t, count, stream.Current().SequenceNumber)
			}
			require.NoError(t, stream.Err())
			require.Equal(t, strings.Count(text, "\n\n"), count)
		})
	}
}

func TestVendorTypesReadResponses(t *testing.T) {
	for name, text := range goldenFiles(t, ".response") {
		t.Run(name, func(t *testing.T) {
			client := openai.NewClient(option.WithBaseURL(serveText(t, "application/json", text)), option.WithAPIKey("k"))
			got, err := client.Responses.New(t.Context(), responses.ResponseNewParams{})
			require.NoError(t, err)
			requireMembers(t, "response", reflect.ValueOf(*got))
			for _, item := range got.Output {
				require.NotNil(t, item.AsAny(), item.RawJSON())
				requireMembers(t, item.Type, reflect.ValueOf(item.AsAny()))
			}
			require.EqualValues(t, 60, got.Usage.InputTokensDetails.CachedTokens)
			require.EqualValues(t, 5, got.Usage.OutputTokensDetails.ReasoningTokens)
		})
	}
}

// requireMembers fails if a member is missing that the vendor's type requires. It also fails
// if a response has an unknown member.
func requireMembers(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	if v.Kind() != reflect.Struct {
		return
	}
	found := v.FieldByName("JSON")
	if !found.IsValid() {
		return
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Name == "JSON" || f.Name == "AccessPrograms" || !strings.Contains(f.Tag.Get("api"), "required") {
			continue
		}
		meta, ok := found.FieldByName(f.Name).Interface().(respjson.Field)
		require.True(t, ok && meta.Raw() != respjson.Omitted, "%s.%s is missing", path, name)
		if f.Name == "Response" || f.Name == "Usage" || f.Name == "Part" {
			requireMembers(t, path+"."+name, v.Field(i))
		}
	}
}
