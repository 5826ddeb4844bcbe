package dispatch_test

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
)

var longText = strings.Repeat("All trains stop here, for once. ", 500)

const picture = `{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}`

func longBody(more, part string) string {
	return `{"model":"auto"` + more + `,"messages":[{"role":"user","content":[{"type":"text","text":"` + longText + `"}` + part + `]}]}`
}

// reporting returns a whole response that reports its usage.
func reporting(prompt, completion int64, more string) string {
	return `{"choices":[{"message":{"content":"` + longText + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":` +
		strconv.FormatInt(prompt, 10) + `,"completion_tokens":` + strconv.FormatInt(completion, 10) + more + `}}`
}

// trainedLearner returns a learner that has seen a body with the given response n times.
func trainedLearner(t *testing.T, body string, u upstreams, times int) *tokens.Learner {
	t.Helper()
	l := tokens.NewLearner()
	for range times {
		j := job(t, body, u)
		j.Tokens = l
		res := dispatch.Run(t.Context(), j, &sink{})
		res.Release()
	}
	return l
}

var smallSource = tokens.Source{Provider: "one", Family: "small"}

func TestReportedUsageImprovesEstimates(t *testing.T) {
	j := job(t, longBody("", ""), nil)
	estimated, output := j.Request.InputTokens, tokens.EstimateFromLength(len(longText))
	l := trainedLearner(t, longBody("", ""), upstreams{"one": answers(reporting(estimated*3/2, output*4/5, `,"prompt_tokens_details":{"cached_tokens":`+strconv.FormatInt(estimated/2, 10)+`}`))}, 20)

	j = job(t, longBody("", ""), upstreams{"one": answers(`{"choices":[{"message":{"content":"` + longText + `"},"finish_reason":"stop"}]}`)})
	j.Tokens = l
	res := dispatch.Run(t.Context(), j, &sink{})
	require.NoError(t, res.Err)
	require.True(t, res.Estimated)
	require.InEpsilon(t, estimated*3/2, res.Usage.Input, 0.05)
	require.InEpsilon(t, output*4/5, res.Usage.Output, 0.05)
	require.Equal(t, res.Usage, *res.Attempts[0].Usage)
	require.Equal(t, res.Usage.Input, dispatch.EstimateInputTokens(l, j.Policy, small, j.Request))
	require.Equal(t, estimated, dispatch.EstimateInputTokens(l, j.Policy, large, j.Request), "another source")
	var shown struct {
		Usage struct {
			Prompt     int64 `json:"prompt_tokens"`
			Completion int64 `json:"completion_tokens"`
		}
	}
	require.NoError(t, json.Unmarshal(res.Response.Body, &shown))
	require.Equal(t, res.Usage.Input, shown.Usage.Prompt, "the client sees what the record says")
	require.Equal(t, res.Usage.Output, shown.Usage.Completion)

	j = job(t, longBody(`,"stream":true,"stream_options":{"include_usage":true}`, ""), upstreams{"one": streams(io.EOF, deltaA, finish)})
	j.Tokens = l
	res = dispatch.Run(t.Context(), j, &sink{})
	require.InEpsilon(t, estimated*3/2, res.Usage.Input, 0.05)
	require.Contains(t, string(res.FinalFrames), `"prompt_tokens":`+strconv.FormatInt(res.Usage.Input, 10))

	j = job(t, longBody("", ""), upstreams{"one": fails(apperr.ProviderConnection)})
	j.Tokens = l
	res = dispatch.Run(t.Context(), j, &sink{})
	require.InEpsilon(t, estimated*3/2, res.Attempts[0].Usage.Input, 0.05, "an attempt that was cut off")
}

func TestOnlyCompleteResponsesImproveEstimates(t *testing.T) {
	estimated := job(t, longBody("", ""), nil).Request.InputTokens
	thinking := `,"completion_tokens_details":{"reasoning_tokens":5}`
	usage := reporting(2*estimated, 9*estimated, "")
	usage = usage[strings.Index(usage, `"usage"`):]
	for name, tt := range map[string]struct {
		body          string
		u             upstreams
		input, output bool
	}{
		"text":      {longBody("", ""), upstreams{"one": answers(reporting(2*estimated, 9*estimated, ""))}, true, true},
		"a picture": {longBody("", ","+picture), upstreams{"one": answers(reporting(2*estimated, 9*estimated, ""))}, false, true},
		"thinking":  {longBody("", ""), upstreams{"one": answers(reporting(2*estimated, 9*estimated, thinking))}, true, false},
		"broken":    {longBody(`,"stream":true`, ""), upstreams{"one": streams(io.ErrUnexpectedEOF, deltaA, `{"choices":[],`+usage)}, false, false},
		"failed":    {longBody("", ""), upstreams{"one": answers(`{"choices":[],` + usage), "two": answers(whole)}, false, false},
		"silent":    {longBody("", ""), upstreams{"one": answers(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`)}, false, false},
	} {
		input, output := trainedLearner(t, tt.body, tt.u, 3).Ratios(smallSource)
		require.Equal(t, tt.input, input > 1.2, "%s: %f", name, input)
		require.Equal(t, tt.output, output > 1.2, "%s: %f", name, output)
	}
}
