package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// frame is one frame of a stream, as Google's clients read it.
type frame struct {
	Candidates []struct {
		Content *struct {
			Role  string
			Parts []map[string]any
		}
		FinishReason string
		Index        *int
	}
	UsageMetadata map[string]any
	ModelVersion  string
	ResponseID    string `json:"responseId"`
	Error         *struct {
		Code            int
		Message, Status string
	}
	Code    string
	Details map[string]any
}

// splitFrames returns the JSON of the frames of a stream. Events are separated by blank
// lines. A broken stream ends with an error, which is repeated after its event as plain JSON.
func splitFrames(t testing.TB, stream string, array bool) (frames []string) {
	t.Helper()
	if array {
		var list []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(stream), &list), stream)
		for _, one := range list {
			frames = append(frames, string(one))
		}
		return frames
	}
	for event := range strings.SplitSeq(stream, "\n\n") {
		if event == "" {
			continue
		}
		data, isEvent := strings.CutPrefix(event, "data: ")
		if !isEvent {
			require.True(t, strings.HasPrefix(event, `{"error":`) && strings.HasSuffix(stream, event), event)
			require.Equal(t, frames[len(frames)-1]+"\n", event)
			continue
		}
		require.NotContains(t, strings.TrimSuffix(data, "\n"), "\n")
		frames = append(frames, data)
	}
	return frames
}

// checkStream checks the grammar of a stream that the gateway writes: every frame has the
// model and the id, parts are complete, and only the last frame has finish reasons and usage.
func checkStream(t testing.TB, stream string, array bool) {
	t.Helper()
	frames := splitFrames(t, stream, array)
	open := map[int]bool{}
	for i, text := range frames {
		var f frame
		require.NoError(t, json.Unmarshal([]byte(text), &f), text)
		last := i == len(frames)-1
		if f.Error != nil {
			require.True(t, last, "an error ends the stream")
			require.GreaterOrEqual(t, f.Error.Code, 400)
			require.NotEmpty(t, f.Error.Status)
			require.NotEmpty(t, f.Code)
			require.NotNil(t, f.Details)
			return
		}
		require.NotEmpty(t, f.ModelVersion)
		require.NotEmpty(t, f.ResponseID)
		require.NotEmpty(t, f.Candidates)
		checkCandidates(t, f, last, open)
		require.True(t, last || f.UsageMetadata == nil, "usage comes last")
	}
	require.NotContains(t, open, true, "every candidate must finish")
}

func checkCandidates(t testing.TB, f frame, last bool, open map[int]bool) {
	t.Helper()
	for _, c := range f.Candidates {
		require.NotNil(t, c.Index)
		require.Equal(t, last, c.FinishReason != "", "the finish reason comes last")
		open[*c.Index] = c.FinishReason == ""
		require.NotNil(t, c.Content)
		require.Equal(t, "model", c.Content.Role)
		for _, p := range c.Content.Parts {
			checkPart(t, p)
		}
	}
	for index, isOpen := range open {
		require.False(t, last && isOpen, "candidate %d has no finish reason", index)
	}
}

func checkPart(t testing.TB, p map[string]any) {
	t.Helper()
	data := 0
	for name, v := range p {
		switch name {
		case "text":
			require.IsType(t, "", v)
			data++
		case "functionCall":
			call := v.(map[string]any)
			require.IsType(t, "", call["name"])
			require.IsType(t, map[string]any{}, call["args"])
			data++
		case "inlineData":
			data++
		case "thought":
			require.Equal(t, true, v)
		case "thoughtSignature":
			require.NotEmpty(t, v)
		default:
			require.Fail(t, "unknown member", name)
		}
	}
	require.Equal(t, 1, data, "%v", p)
}
