package gemini_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/gemini"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
)

// serveGoogle responds as the vendor does, with a vector for every text.
func serveGoogle(r scriptedtest.Received) scripted.Response {
	switch {
	case strings.HasSuffix(r.Path, ":batchEmbedContents"):
		return scripted.JSON(200, vectors(r.Body))
	case strings.HasSuffix(r.Path, ":streamGenerateContent") && r.Query == "alt=sse":
		return scripted.Events(
			`{"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9},"responseId":"r1"}`,
			`{"candidates":[{"content":{"parts":[{"text":" there."}],"role":"model"}}],"responseId":"r1"}`,
			`{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP"}],`+
				`"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12},"responseId":"r1"}`)
	case strings.HasSuffix(r.Path, ":generateContent"):
		return scripted.JSON(200, `{"candidates":[{"content":{"parts":[{"text":"Hello there."}],"role":"model"},"finishReason":"STOP"}],`+
			`"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12},"responseId":"r1"}`)
	}
	return scripted.JSON(404, `{"error":{"code":404,"message":"no such method","status":"NOT_FOUND"}}`)
}

// vectors returns a vector with the length of each text, to make the order visible.
func vectors(body []byte) string {
	var batch struct {
		Requests []struct {
			Content struct {
				Parts []struct{ Text string }
			}
		}
	}
	if json.Unmarshal(body, &batch) != nil {
		return `{"error":{"code":400}}`
	}
	list := make([]string, len(batch.Requests))
	for i, r := range batch.Requests {
		list[i] = fmt.Sprintf(`{"values":[0,%d]}`, len(r.Content.Parts[0].Text))
	}
	return `{"embeddings":[` + strings.Join(list, ",") + `],"usageMetadata":{"promptTokenCount":2}}`
}

func newConfig(t *testing.T, base string) gemini.Config {
	t.Helper()
	transport := egress.New(egress.Config{AllowPrivate: true})
	t.Cleanup(transport.CloseIdleConnections)
	keys, err := keypool.New(keypool.Key{Name: "env:GEMINI_KEY", Secret: "a-key-of-some-length"})
	require.NoError(t, err)
	return gemini.Config{Name: "google", BaseURL: base, Keys: keys, Transport: transport, Version: "1.2.3"}
}

func newProvider(t *testing.T, base string) *gemini.Provider {
	t.Helper()
	p, err := gemini.New(newConfig(t, base))
	require.NoError(t, err)
	return p
}

func TestContract(t *testing.T) {
	providertest.RunUpstream(t, providertest.Vendor{
		Serve:   serveGoogle,
		Headers: []string{"X-Goog-Api-Key", "Content-Type", "Accept", "User-Agent"},
		Client: func(t *testing.T, u *scriptedtest.Upstream) providertest.Subject {
			p := newProvider(t, u.URL+"/v1beta")
			return providertest.Subject{ChatCompleter: p, Embedder: p, ChatModel: "gemini-x", EmbedModel: "embed-x", TextOnly: true}
		},
	})
}

func TestAddresses(t *testing.T) {
	u := scriptedtest.New(t, serveGoogle)
	p := newProvider(t, u.URL+"/v1beta/")
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "gemini-x", "hello", false))
	require.NoError(t, err)
	require.Equal(t, "r1", response.UpstreamID)
	response, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "tunedModels/my x", "hello", true))
	require.NoError(t, err)
	require.NoError(t, response.Events.Close())
	_, err = p.Embed(t.Context(), providertest.EmbedCall(t, "embed-x", `"x"`))
	require.NoError(t, err)
	var paths []string
	for _, r := range u.Received() {
		require.Equal(t, "a-key-of-some-length", r.Header.Get("X-Goog-Api-Key"))
		paths = append(paths, r.Path+"?"+r.Query)
	}
	require.Equal(t, []string{
		"/v1beta/models/gemini-x:generateContent?", "/v1beta/tunedModels/my x:streamGenerateContent?alt=sse",
		"/v1beta/models/embed-x:batchEmbedContents?",
	}, paths)

	config := newConfig(t, u.URL)
	config.Authorize = func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }
	other, err := gemini.New(config)
	require.NoError(t, err)
	_, err = other.CompleteChat(t.Context(), providertest.ChatCall(t, "gemini-x", "hello", false))
	require.NoError(t, err)
	require.Equal(t, "Bearer a-key-of-some-length", u.Last().Header.Get("Authorization"))

	_, err = gemini.New(gemini.Config{Name: "google", BaseURL: "nowhere"})
	require.ErrorContains(t, err, "base_url")
	_, err = gemini.New(gemini.Config{Name: "google", BaseURL: u.URL})
	require.ErrorContains(t, err, "transport")
}

func TestRejectedBeforeCall(t *testing.T) {
	u := scriptedtest.New(t, serveGoogle)
	r, err := requestbody.ParseChat([]byte(`{"model":"auto","messages":[{"role":"user","content":"x"}],"audio":{},"user":"u"}`))
	require.NoError(t, err)
	_, err = newProvider(t, u.URL).CompleteChat(t.Context(), provider.Call{Request: r, UpstreamModel: "m"})
	require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
	require.Empty(t, u.Received())
}

func TestDroppedFieldsAreReported(t *testing.T) {
	u := scriptedtest.New(t, serveGoogle)
	r, err := requestbody.ParseChat([]byte(`{"model":"auto","messages":[{"role":"user","content":"x"}],"user":"u","store":true}`))
	require.NoError(t, err)
	response, err := newProvider(t, u.URL).CompleteChat(t.Context(), provider.Call{Request: r, UpstreamModel: "m"})
	require.NoError(t, err)
	require.Equal(t, []string{"store", "user"}, response.DroppedFields)
}

// Google streams one JSON array to clients that do not request events.
func TestStreamAsAnArray(t *testing.T) {
	u := scriptedtest.New(t, serveGoogle)
	whole := `[` + `{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]},` + "\n" +
		`{"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}` + `]`
	for _, stream := range []bool{true, false} {
		u.Script(scripted.JSON(200, whole))
		response, err := newProvider(t, u.URL).CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", stream))
		require.NoError(t, err)
		a, err := normalize.Collect(response.Events, normalize.Options{Choices: 1})
		require.NoError(t, err)
		require.Contains(t, string(a.Body), `"content":"Hello"`)
		require.EqualValues(t, 1, a.Usage.Output)
	}
	for body, want := range map[string]apperr.Code{
		`[{"error":{"code":503,"status":"UNAVAILABLE","message":"overloaded"}}]`: apperr.ProviderOverloaded,
		`[{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]}]`:              apperr.ProviderInterrupted,
		`[{"candidates":`: apperr.ProviderInvalidResponse,
	} {
		u.Script(scripted.JSON(200, body))
		response, err := newProvider(t, u.URL).CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", true))
		require.NoError(t, err)
		_, err = normalize.Collect(response.Events, normalize.Options{Choices: 1})
		require.Equal(t, want, apperr.CodeOf(err), body)
	}
}

func TestRejectedSignatures(t *testing.T) {
	const refusal = `{"error":{"code":400,"message":"Corrupted thought signature.","status":"INVALID_ARGUMENT"}}`
	conversation := func(id string) provider.Call {
		r, err := requestbody.ParseChat([]byte(`{"model":"auto","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"` + id +
			`","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + id + `","content":"1"}]}`))
		require.NoError(t, err)
		return provider.Call{Request: r, UpstreamModel: "m"}
	}
	u := scriptedtest.New(t, serveGoogle)
	p := newProvider(t, u.URL)
	u.Script(scripted.JSON(400, refusal))
	call := conversation("a__thought__AQID")
	_, err := p.CompleteChat(t.Context(), call)
	var repeat *provider.RepeatError
	require.ErrorAs(t, err, &repeat)
	require.Equal(t, provider.NoSignatures, repeat.Reason)
	require.Len(t, u.Received(), 1, "the adapter makes one call")
	call.Repeat = repeat.Next
	response, err := p.CompleteChat(t.Context(), call)
	require.NoError(t, err)
	require.Len(t, u.Received(), 2)
	require.Equal(t, []string{"messages[].tool_calls[].id"}, response.DroppedFields)
	require.Contains(t, string(u.Received()[0].Body), `"thoughtSignature":"AQID"`)
	require.Contains(t, string(u.Last().Body), `"thoughtSignature":"skip_thought_signature_validator"`)

	for name, call := range map[string]provider.Call{"omitted already": call, "no signature to omit": conversation("a")} {
		u.Script(scripted.JSON(400, refusal))
		_, err = p.CompleteChat(t.Context(), call)
		require.Equal(t, apperr.ProviderBadRequest, apperr.CodeOf(err), name)
		require.NotErrorAs(t, err, new(*provider.RepeatError), name)
	}
	require.Len(t, u.Received(), 4)
}
