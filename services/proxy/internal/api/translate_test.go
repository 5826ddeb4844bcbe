package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

var gptAtOpen = decide.Candidate{Model: "gpt", Provider: "open"}

// textOf joins the text of a stream of the Messages protocol, which must be complete.
func textOf(t *testing.T, body string) string {
	t.Helper()
	require.True(t, strings.HasPrefix(body, "event: message_start\n"), body)
	require.True(t, strings.HasSuffix(body, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"), body)
	require.Equal(t, 1, strings.Count(body, "event: message_start\n"), body)
	var text strings.Builder
	for line := range strings.SplitSeq(body, "\n") {
		var e struct{ Delta struct{ Text string } }
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			require.NoError(t, json.Unmarshal([]byte(data), &e))
			text.WriteString(e.Delta.Text)
		}
	}
	return text.String()
}

// A client learns that the features of its header do not apply.
func TestATranslationReportsTheFeatureHeader(t *testing.T) {
	v := newVendors(t, "gpt")
	res, body := v.ask(t, "auto", `,"cache_control":{"type":"ephemeral"}`, "Anthropic-Beta: new-2027-02-02")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "anthropic-beta,cache_control", res.Header.Get("X-Signalbox-Dropped-Params"))
	require.NotContains(t, v.open.Last().Header, "Anthropic-Beta")

	res, _ = newVendors(t, "opus").ask(t, "auto", "", "Anthropic-Beta: new-2027-02-02")
	require.Empty(t, res.Header.Get("X-Signalbox-Dropped-Params"), "a relayed request keeps the header")
}

func TestAnotherProviderGetsATranslation(t *testing.T) {
	v := newVendors(t, "gpt")
	res, body := v.ask(t, "auto", `,"stream":true,"cache_control":{"type":"ephemeral"}`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "Hello there.", textOf(t, body))
	require.NotContains(t, body, "[DONE]")
	require.Equal(t, "cache_control", res.Header.Get("X-Signalbox-Dropped-Params"))
	require.Equal(t, "/v1/chat/completions", v.open.Last().Path)
	require.Contains(t, string(v.open.Last().Body), `"include_usage":true`)
	r := v.records[0]
	require.Equal(t, ledger.OK, r.Outcome)
	require.Equal(t, gptAtOpen, r.Served)
	require.Equal(t, catalog.Usage{Input: 9, Output: 3}, r.Usage)
	require.Equal(t, []string{"cache_control"}, r.Attempts[0].Dropped)
	require.Equal(t, messagesBody("auto", `,"stream":true,"cache_control":{"type":"ephemeral"}`), string(r.Request))
	require.Contains(t, string(r.Response), `"content":"Hello there."`)

	res, body = v.ask(t, "gpt", "")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.JSONEq(t, `{"id":"msg_`+res.Header.Get("X-Request-Id")+`","type":"message","model":"gpt","content":[{"type":"text","text":"Hello there."}]}`, body)
	require.Equal(t, body, string(v.records[1].Response))
}

// Until the first content, a provider of another protocol can take over, in either direction.
func TestFallbackAcrossProtocols(t *testing.T) {
	down := scripted.JSON(500, `{"error":{"message":"down"}}`)
	inStream := scripted.Stream(anthropicEvents[0], "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n")
	roleOnly := scripted.Events(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`, `{"error":{"message":"busy","type":"server_error"}}`)
	for _, tt := range []struct {
		name, candidates, stream string
		failure                  scripted.Response
	}{
		{"relayed, then translated", "opus, gpt", "", down},
		{"relayed, then translated, streamed", "opus, gpt", `,"stream":true`, down},
		{"an error after the start of a relayed stream", "opus, gpt", `,"stream":true`, inStream},
		{"translated, then relayed", "gpt, opus", "", down},
		{"translated, then relayed, streamed", "gpt, opus", `,"stream":true`, down},
		{"an error after the role of a translated stream", "gpt, opus", `,"stream":true`, roleOnly},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newVendors(t, tt.candidates)
			failing, served, text := v.claude, gptAtOpen, "Hello there."
			if strings.HasPrefix(tt.candidates, "gpt") {
				failing, served, text = v.open, opusAtClaude, "Pin 1234."
			}
			failing.Script(tt.failure)
			res, body := v.ask(t, "auto", tt.stream)
			require.Equal(t, http.StatusOK, res.StatusCode, body)
			if tt.stream == "" {
				require.Contains(t, body, text)
			} else {
				require.Equal(t, text, textOf(t, body))
			}
			require.Equal(t, served.Model, res.Header.Get("X-Signalbox-Model"))
			r := v.records[0]
			require.Equal(t, served, r.Served)
			require.Len(t, r.Attempts, 2)
			require.NotEmpty(t, r.Attempts[0].Code)
			require.Contains(t, string(r.Response), text)
		})
	}
}

// The attempts of a request share one translation.
func TestARequestIsTranslatedOnce(t *testing.T) {
	v := newVendors(t, "gpt")
	v.open.Script(scripted.JSON(500, `{"error":{"message":"down"}}`))
	before := translations.Load()
	res, body := v.ask(t, "auto", "")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Len(t, v.records[0].Attempts, 2)
	require.EqualValues(t, 1, translations.Load()-before)

	_, _ = v.ask(t, "opus", "")
	require.EqualValues(t, 1, translations.Load()-before, "a relayed request is not translated")
}

// An untranslatable request moves on to a provider of its own protocol.
func TestARequestThatCannotBeTranslated(t *testing.T) {
	v := newVendors(t, "gpt, opus")
	res, body := v.ask(t, "auto", `,"untranslatable":true`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, opusAtClaude, v.records[0].Served)
	require.Empty(t, v.open.Received())

	res, body = v.ask(t, "only-open", `,"untranslatable":true`)
	require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
	require.Equal(t, string(apperr.UnsupportedParameter), res.Header.Get("X-Error-Code"))
	require.Contains(t, body, `"param":"untranslatable"`)
}

// A request with state of one vendor never reaches another one.
func TestNativeStateExcludesOtherProtocols(t *testing.T) {
	v := newVendors(t, "gpt, opus")
	res, body := v.ask(t, "auto", `,"signature":"x"`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	r := v.records[0]
	require.Equal(t, opusAtClaude, r.Served)
	require.Equal(t, []string{"signature"}, r.Question.NativeOnly)
	require.Equal(t, decide.OtherProtocol, r.Decision.Verdicts[0].Code)
	require.Equal(t, "the request needs an upstream of the messages protocol, because of: signature", r.Decision.Verdicts[0].Text)

	for model, code := range map[string]apperr.Code{"only-open": apperr.NoEligibleRoute, "gpt": apperr.UnsupportedParameter} {
		res, body = v.ask(t, model, `,"signature":"x"`)
		require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
		require.Equal(t, string(code), res.Header.Get("X-Error-Code"))
		e := requireShape(t, apperr.Anthropic, code, body)
		require.Contains(t, e.message, "needs an upstream of the messages protocol, because of: signature")
		require.Equal(t, "messages", e.Details["protocol"])
		require.Equal(t, []any{"signature"}, e.Details["native_only"])
	}
	require.Empty(t, v.open.Received())
}

// oldRouter ignores the protocol of a request.
type oldRouter struct{ *rig }

func (r oldRouter) Plan(ctx context.Context, p *policy.Policy, q decide.Question, text control.Text) (control.Plan, error) {
	q.NativeProtocol, q.NativeOnly = "", nil
	return r.rig.Plan(ctx, p, q, text)
}

// The proxy does not call an unsuitable candidate even if the plan contains it.
func TestThePlanOfAnOlderRouter(t *testing.T) {
	v := newVendors(t, "gpt, opus")
	v.deps.Router = oldRouter{v.rig}
	res, body := v.ask(t, "auto", `,"signature":"x"`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, opusAtClaude, v.records[0].Served)
	require.Equal(t, string(apperr.UnsupportedParameter), v.records[0].Attempts[0].Code)
	require.Empty(t, v.open.Received())
}

// Translations hold parts of a stream until its end, so an endless stream must not fill the
// memory.
func TestATranslatedStreamIsLimited(t *testing.T) {
	v := newVendors(t, "gpt")
	v.deps.CaptureLimit = 0
	chunk := `{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 1<<20) + `"},"finish_reason":null}]}`
	events := slices.Repeat([]string{chunk}, 33)
	v.open.Script(scripted.Events(append(events, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]")...))
	res, body := v.ask(t, "auto", `,"stream":true`)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, body[len(body)-1000:], "PROVIDER_STREAM_INTERRUPTED")
	require.Equal(t, ledger.Interrupted, v.records[0].Outcome)
}
