package normalize_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

func TestChunksOfFrames(t *testing.T) {
	st := normalize.NewStream(normalize.StreamOptions{ID: "a", Model: "m", IncludeUsage: true, Choices: 1})
	var frames []byte
	for _, event := range []string{
		"{\"choices\":[{\"delta\":{\"content\":\"a\\nb\"},\n\"finish_reason\":null}]}", `{"choices":[{"delta":{},"finish_reason":"stop"}]}`,
	} {
		var err error
		frames, err = st.AppendEvent(frames, []byte(event))
		require.NoError(t, err)
	}
	frames, err := st.Finish(frames)
	require.NoError(t, err)
	var texts []string
	for chunk := range normalize.Chunks(frames) {
		var c struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		require.NoError(t, json.Unmarshal(chunk, &c), string(chunk))
		for _, choice := range c.Choices {
			texts = append(texts, choice.Delta.Content)
		}
		if len(c.Choices) == 0 {
			texts = append(texts, "usage")
		}
	}
	require.Equal(t, []string{"", "a\nb", "", "usage"}, texts)
	for range normalize.Chunks(frames) {
		break // the loop may end early
	}
	for range normalize.Chunks(nil) {
		t.Fatal("no frames")
	}
}
