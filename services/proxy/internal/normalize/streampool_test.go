package normalize_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// relayed is everything that a stream produces.
type relayed struct {
	frames, transcript string
	reported           normalize.Response
	textBytes          int
	isFinished         bool
	err                error
}

// relay passes events through a stream. It does not release the stream.
func relay(s *normalize.Stream, transcript *normalize.Transcript, events []string) (r relayed) {
	var frames []byte
	for _, payload := range events {
		if frames, r.err = s.AppendEvent(frames, []byte(payload)); r.err != nil {
			break
		}
	}
	if r.err == nil {
		s.MarkDone()
		frames, r.err = s.Finish(frames)
	}
	body, _ := transcript.Response()
	r.frames, r.transcript, r.reported = string(frames), string(body), s.ReportedValues()
	r.textBytes, r.isFinished = s.OutputTextBytes(), s.IsFinished()
	return r
}

// The memory of a released stream serves the next one, perhaps of another account. Nothing of the
// first may show in the second.
func TestReleasedStreamLeavesNothingBehind(t *testing.T) {
	const content = `{"id":"u","choices":[{"index":0,"delta":{"content":"secret"},"finish_reason":null}]}`
	earlier := map[string][]string{
		"text":      {content, content, content},
		"no event":  {},
		"no choice": {`{"choices":[],"prompt_filter_results":["secret"]}`},
		"held":      {content, `{"choices":[{"index":0,"delta":{},"finish_reason":"length","vendor":"secret"}],"system_fingerprint":"secret"}`},
		"calls": {
			`{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"secret","type":"function","function":{"name":"secret","arguments":"{}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":8,"secret":1}}`,
		},
		"other index":        {`{"choices":[{"index":3,"delta":{"content":"secret"}}]}`, `{"choices":[{"index":3,"delta":{},"finish_reason":"stop"}]}`},
		"empty finish":       {content, `{"choices":[{"index":0,"delta":{},"finish_reason":""}]}`},
		"reasoning":          {`{"choices":[{"index":0,"delta":{"reasoning":"secret","refusal":"secret"}}],"service_tier":"secret"}`},
		"error":              {content, `{"error":{"message":"secret"}}`},
		"other index, error": {`{"choices":[{"index":3,"delta":{"content":"secret"}}]}`, `{"error":{"message":"secret"}}`},
	}
	later := [][]string{
		{content, `{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}`},
		{`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`},
		{`{"choices":[{"index":1,"delta":{"content":"c"}}]}`, `{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`},
		{content},
		{},
	}
	open := func() (*normalize.Stream, *normalize.Transcript) {
		transcript := normalize.NewTranscript(1 << 10)
		return normalize.NewStream(normalize.StreamOptions{ID: "id", Model: "m", Choices: 1, IncludeUsage: true, Transcript: transcript}), transcript
	}
	for _, events := range later {
		s, transcript := open()
		want := relay(s, transcript, events) // this stream is new: nothing has been released yet, or it is not reused
		for name, before := range earlier {
			s, transcript := open()
			relay(s, transcript, before)
			s.Release()
			s, transcript = open()
			require.Equal(t, want, relay(s, transcript, events), "%s, then %q", name, events)
		}
	}
}
