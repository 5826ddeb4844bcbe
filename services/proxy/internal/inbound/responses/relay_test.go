package responses_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
)

const (
	created   = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_up","object":"response","model":"gpt-up","output":[],"new_field": {"model":"inner"}}}`
	added     = `{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","content":[]}}`
	delta     = `{"type":"response.output_text.delta","sequence_number":2,"delta":"h\u00e9","obfuscation":"xyz"}`
	completed = `{"type":"response.completed","response":{"id":"resp_up","model":"gpt-up","status":"completed","output":[],"usage":{"input_tokens":100,` +
		`"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":120}},"sequence_number":3}`
	failed = `{"type":"response.failed","sequence_number":3,"response":{"id":"resp_up","model":"gpt-up","status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"},"usage":null}}`
)

func frameOf(name, payload string) string { return "event: " + name + "\ndata: " + payload + "\n\n" }

func TestRelayForwardsBytes(t *testing.T) {
	r := responses.Protocol{}.NewRelay(options)
	var dst []byte
	var err error
	send := func(payload string) {
		dst, err = r.AppendEvent(dst[:0], []byte(payload))
		require.NoError(t, err)
	}
	send("")
	require.Empty(t, dst, "a heartbeat")
	send(created)
	require.Equal(t, frameOf("response.created", strings.Replace(created, "gpt-up", "claude-x", 1)), string(dst))
	require.False(t, r.HasStarted())
	send(added)
	require.Equal(t, frameOf("response.output_item.added", added), string(dst))
	require.False(t, r.HasStarted(), "another upstream can still take over")
	send(`{"type":"codex.rate_limits","plan":"x"}`)
	require.Equal(t, frameOf("codex.rate_limits", `{"type":"codex.rate_limits","plan":"x"}`), string(dst), "unknown events pass")
	require.False(t, r.HasStarted())
	send(delta)
	require.Equal(t, frameOf("response.output_text.delta", delta), string(dst))
	require.True(t, r.HasStarted())
	require.False(t, r.IsFinished())
	require.Equal(t, len("h\u00e9"), r.OutputTextBytes())
	_, err = r.Finish(nil)
	require.Equal(t, apperr.ProviderInterrupted, apperr.CodeOf(err))
	require.Equal(t, true, apperr.From(err).Details["partial"])
	send("{\n" + completed[1:])
	require.Equal(t, frameOf("response.completed", strings.Replace("{ "+completed[1:], "gpt-up", "claude-x", 1)), string(dst))
	require.True(t, r.IsFinished())
	require.True(t, r.HasCompleteUsage())
	require.Equal(t, &catalog.Usage{Input: 30, CacheRead: 60, CacheWrite: 10, Output: 20, Reasoning: 5}, r.ReportedValues().Usage)
	require.Zero(t, r.ReportedValues().UsageDiscrepancy)
	r.MarkDone()
	dst, err = r.Finish(nil)
	require.NoError(t, err)
	require.Empty(t, dst, "there is no [DONE]")
	_, err = r.AppendEvent(nil, []byte(`{"type":`))
	require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
	_, err = r.AppendEvent(nil, []byte(`[]`))
	require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
}

func TestRelayReportsErrorsBeforeTheContent(t *testing.T) {
	for payload, want := range map[string]apperr.Code{
		failed: apperr.ProviderRateLimited,
		`{"type":"error","code":"rate_limit_exceeded","message":"slow","param":null,"sequence_number":1}`:          apperr.ProviderRateLimited,
		`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"x"}}`: apperr.ContextLengthExceeded,
		`{"error":{"type":"server_error","message":"x"}}`:                                                          apperr.ProviderUpstream,
		`{"type":"response.failed","response":{"error":{"code":"server_error","message":"x"}}}`:                    apperr.ProviderUpstream,
		`{"type":"response.failed","response":{}}`:                                                                 apperr.ProviderInvalidResponse,
	} {
		r := responses.Protocol{}.NewRelay(options)
		_, err := r.AppendEvent(nil, []byte(created))
		require.NoError(t, err)
		dst, err := r.AppendEvent([]byte("kept"), []byte(payload))
		require.Equal(t, want, apperr.CodeOf(err), "%s: %v", payload, err)
		require.Equal(t, "kept", string(dst))
		require.False(t, r.HasStarted())
	}
}

func TestRelayForwardsErrorsAfterTheContent(t *testing.T) {
	r := responses.Protocol{}.NewRelay(options)
	for _, payload := range []string{created, delta} {
		_, err := r.AppendEvent(nil, []byte(payload))
		require.NoError(t, err)
	}
	dst, err := r.AppendEvent(nil, []byte(failed))
	require.NoError(t, err)
	require.Empty(t, dst, "the event waits for its code and details")
	require.True(t, r.IsFinished())
	_, err = r.Finish(nil)
	require.Equal(t, apperr.ProviderRateLimited, apperr.CodeOf(err), "the record shows the failure")
	text := string(r.AppendError(nil, apperr.From(err), apperr.Options{RequestID: "req1"}))
	upstream, _ := strings.CutSuffix(frameOf("response.failed", strings.Replace(failed, "gpt-up", "claude-x", 1)), "}\n\n")
	added, ok := strings.CutPrefix(text, upstream)
	require.True(t, ok, text)
	require.True(t, strings.HasPrefix(added, `,"code":"PROVIDER_RATE_LIMITED","details":{`), added)
	require.Equal(t, "req1", parseEvents(t, text)[0].Details["request_id"])
}

// An event of the type error has a code already.
func TestRelayKeepsTheCodeOfAnErrorEvent(t *testing.T) {
	r := responses.Protocol{}.NewRelay(options)
	const broken = `{"type":"error","code":"server_error","message":"oops","param":null,"sequence_number":3} `
	for _, payload := range []string{created, delta, broken, failed} {
		_, err := r.AppendEvent(nil, []byte(payload))
		require.NoError(t, err)
	}
	_, err := r.Finish(nil)
	event := parseEvents(t, string(r.AppendError(nil, apperr.From(err), apperr.Options{RequestID: "req1"})))[0]
	require.Equal(t, "error", event.Type, "the first error counts")
	require.Equal(t, "server_error", event.Code)
	require.Equal(t, "req1", event.Details["request_id"])
}

func TestRelayEndsABrokenStream(t *testing.T) {
	failure := apperr.New(apperr.ProviderInterrupted, "gone")
	r := responses.Protocol{}.NewRelay(options)
	checkGrammar(t, string(r.AppendError(nil, failure, apperr.Options{})))
	for _, payload := range []string{created, delta} {
		_, err := r.AppendEvent(nil, []byte(payload))
		require.NoError(t, err)
	}
	text := string(r.AppendError(nil, failure, apperr.Options{RequestID: "req1"}))
	all := parseEvents(t, text)
	require.Len(t, all, 1)
	require.Equal(t, "response.failed", all[0].Type)
	require.EqualValues(t, 3, *all[0].Sequence, "after the upstream's last number")
	require.Equal(t, "resp_up", all[0].Response.ID)
	require.Equal(t, "server_error", all[0].Response.Error.Code)
	require.Equal(t, "PROVIDER_STREAM_INTERRUPTED", all[0].Code)
}

// A relay reads the streams that a Stream writes.
func TestRelayReadsOurOwnStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.events")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		r := responses.Protocol{}.NewRelay(options)
		var dst []byte
		for frame := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n\n"), "\n\n") {
			_, data, _ := strings.Cut(frame, "\ndata: ")
			dst, err = r.AppendEvent(dst, []byte(data))
			require.NoError(t, err)
		}
		require.Equal(t, string(text), string(dst), file)
		require.True(t, r.IsFinished())
		require.Equal(t, &catalog.Usage{Input: 30, CacheRead: 60, CacheWrite: 10, Output: 20, Reasoning: 5}, r.ReportedValues().Usage)
	}
}

func TestRelayBody(t *testing.T) {
	body := `{"id":"resp_1","object":"response", "model" : "gpt-up","status":"completed","error":null,"output":[{"type":"reasoning","summary":[{"text":"abc"}]},` +
		`{"type":"message","content":[{"type":"output_text","text":"h\u00e9","model":"x"}]},{"type":"function_call","arguments":"{}"}],` +
		`"usage":{"input_tokens":10,"output_tokens":4,"total_tokens":15,"cost":0.5}}`
	got, err := responses.Protocol{}.RelayBody([]byte(body), options)
	require.NoError(t, err)
	require.Equal(t, strings.Replace(body, "gpt-up", "claude-x", 1), string(got.Body))
	require.Equal(t, &catalog.Usage{Input: 10, Output: 4}, got.Usage)
	require.EqualValues(t, 1, got.UsageDiscrepancy)
	require.EqualValues(t, 500_000_000, *got.ReportedNanoUSD)
	require.Equal(t, 3+3+2, got.OutputTextBytes)
	for body, want := range map[string]apperr.Code{
		`{"status":"failed","error":{"code":"rate_limit_exceeded","message":"x"},"output":[]}`: apperr.ProviderRateLimited,
		`{"error":{"message":"x","type":"server_error"}}`:                                      apperr.ProviderUpstream,
		`{"choices":[]}`: apperr.ProviderInvalidResponse,
		`{"output":[]`:   apperr.ProviderInvalidResponse,
		`[]`:             apperr.ProviderInvalidResponse,
	} {
		_, err := responses.Protocol{}.RelayBody([]byte(body), options)
		require.Equal(t, want, apperr.CodeOf(err), body)
	}
}

func TestKeepAliveIsAComment(t *testing.T) {
	require.Equal(t, ": keepalive\n", string(responses.Protocol{}.KeepAlive()))
}

// What the parser of requests accepts also passes when the upstream repeats it.
func TestRelayHasNoLimitOfItsOwn(t *testing.T) {
	deep := strings.Repeat("[", 80) + strings.Repeat("]", 80)
	payload := `{"type":"response.created","response":{"id":"r","model":"claude-x","tools":[` + deep + `]}}`
	dst, err := responses.Protocol{}.NewRelay(options).AppendEvent(nil, []byte(payload))
	require.NoError(t, err)
	require.Equal(t, frameOf("response.created", payload), string(dst))
	_, err = responses.Protocol{}.RelayBody([]byte(`{"output":[],"tools":`+deep+`}`), options)
	require.NoError(t, err)
}
