package anthropic_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/anthropic"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

const credential = "sk-ant-the-house-key"

const plainMessage = `{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hello there."}],` +
	`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`

var messageEvents = []string{
	`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
	`{"type":"ping"}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" there."}}`,
	`{"type":"content_block_stop","index":0}`,
	`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":3}}`,
	`{"type":"message_stop"}`,
}

// frameEvents returns an event stream as the vendor writes it.
func frameEvents(payloads ...string) scripted.Response {
	pieces := make([]string, len(payloads))
	for i, p := range payloads {
		var event struct{ Type string }
		_ = json.Unmarshal([]byte(p), &event)
		pieces[i] = "event: " + event.Type + "\ndata: " + p + "\n\n"
	}
	return scripted.Stream(pieces...)
}

// serve responds successfully.
func serve(r scriptedtest.Received) scripted.Response {
	var body struct {
		Stream bool `json:"stream"`
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return scripted.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"not JSON"}}`)
	}
	a := scripted.JSON(200, plainMessage)
	if body.Stream {
		a = frameEvents(messageEvents...)
	}
	return a.WithHeader("Request-Id", "req_1")
}

func newProvider(t *testing.T, base string) *anthropic.Provider {
	t.Helper()
	transport := egress.New(egress.Config{AllowPrivate: true})
	t.Cleanup(transport.CloseIdleConnections)
	keys, err := keypool.New(keypool.Key{Name: "env:ACME_KEY", Secret: credential})
	require.NoError(t, err)
	p, err := anthropic.New(anthropic.Config{
		Name: "acme", BaseURL: base, Keys: keys, Transport: transport, Version: "1.2.3",
	})
	require.NoError(t, err)
	return p
}

func TestContract(t *testing.T) {
	providertest.RunUpstream(t, providertest.Vendor{
		Serve:   serve,
		Headers: []string{"X-Api-Key", "Anthropic-Version", "Content-Type", "Accept", "User-Agent"},
		Client: func(t *testing.T, u *scriptedtest.Upstream) providertest.Subject {
			return providertest.Subject{ChatCompleter: newProvider(t, u.URL), ChatModel: "claude"}
		},
	})
}

func TestSentRequest(t *testing.T) {
	u := scriptedtest.New(t, serve)
	for _, path := range []string{"", "/", "/v1", "/v1/", "/anthropic"} {
		p := newProvider(t, u.URL+path)
		response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", false))
		require.NoError(t, err)
		require.Equal(t, "req_1", response.UpstreamID)
		require.Equal(t, []string{"seed"}, response.DroppedFields)
	}
	got := u.Received()
	for i, want := range []string{"/v1/messages", "/v1/messages", "/v1/messages", "/v1/messages", "/anthropic/v1/messages"} {
		require.Equal(t, want, got[i].Path)
	}
	require.Equal(t, credential, got[0].Header.Get("X-Api-Key"))
	require.Equal(t, "2023-06-01", got[0].Header.Get("Anthropic-Version"))
	require.Equal(t, "signalbox/1.2.3", got[0].Header.Get("User-Agent"))
	require.NotContains(t, got[0].Header, "Authorization")
	require.JSONEq(t, `{"model":"claude","max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}`,
		string(got[0].Body))
}

func chatCall(t *testing.T, body string) provider.Call {
	t.Helper()
	r, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: "claude"}
}

func TestUnsupportedRequestIsNotSent(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	_, err := p.CompleteChat(t.Context(), chatCall(t, `{"model":"m","n":2,"messages":[{"role":"user","content":"x"}]}`))
	require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
	require.Equal(t, "n", apperr.From(err).Details["param"])
	require.Empty(t, u.Received())
}

// The client sees its own tool names, even if the format does not accept them.
func TestToolNamesAreRestored(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	call := chatCall(t, `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a.b/c"}}]}`)
	_, err := p.CompleteChat(t.Context(), call)
	require.NoError(t, err)
	var sent struct{ Tools []struct{ Name string } }
	require.NoError(t, json.Unmarshal(u.Received()[0].Body, &sent))
	require.Regexp(t, `^[a-zA-Z0-9_-]{1,128}$`, sent.Tools[0].Name)

	u.Script(scripted.JSON(200, `{"content":[{"type":"tool_use","id":"t","name":"`+sent.Tools[0].Name+`","input":{}}],"stop_reason":"tool_use"}`))
	response, err := p.CompleteChat(t.Context(), call)
	require.NoError(t, err)
	require.Contains(t, string(response.Body), `"name":"a.b/c"`)

	u.Script(frameEvents(messageEvents[0], `{"type":"content_block_start","content_block":{"type":"tool_use","id":"t","name":"`+sent.Tools[0].Name+`"}}`,
		`{"type":"message_stop"}`))
	response, err = p.CompleteChat(t.Context(), call)
	require.NoError(t, err)
	chunks, err := providertest.ReadAll(response.Events)
	require.NoError(t, err)
	require.Contains(t, chunks[1], `"name":"a.b/c"`)
}

func TestResponseInOtherForm(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	u.Script(scripted.JSON(200, plainMessage))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", true))
	require.NoError(t, err)
	require.Contains(t, string(response.Body), `"content":"Hello there."`)

	u.Script(frameEvents(messageEvents...))
	response, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", false))
	require.NoError(t, err)
	a, err := normalize.Collect(response.Events, normalize.Options{ID: "id", Model: "m"})
	require.NoError(t, err)
	require.Contains(t, string(a.Body), `"content":"Hello there."`)
}

// The event name is used if the data does not repeat it.
func TestEventsByName(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	u.Script(scripted.Stream("event: message_start\ndata: {\"message\":{}}\n\n", "event: message_stop\ndata: {}\n\n"))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", true))
	require.NoError(t, err)
	chunks, err := providertest.ReadAll(response.Events)
	require.NoError(t, err)
	require.Len(t, chunks, 1)
}

func TestIncompleteStream(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	u.Script(frameEvents(messageEvents[:5]...))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", true))
	require.NoError(t, err)
	chunks, err := providertest.ReadAll(response.Events)
	require.Equal(t, sse.ErrNoDone, err)
	require.Len(t, chunks, 3)
}

// An upstream that keeps the connection open after its last event must not delay the
// caller.
func TestEndDoesNotWaitForConnection(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	a := frameEvents(messageEvents...)
	a.Ending = scripted.Hang
	u.Script(a)
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", true))
	require.NoError(t, err)
	_, err = providertest.ReadAll(response.Events)
	require.NoError(t, err)
	u.AwaitDisconnect(t)
}

func TestErrorsOfAllKinds(t *testing.T) {
	const overloaded = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded ` + credential + `"},"request_id":"r"}`
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	o := normalize.Options{ID: "id", Model: "m"}

	u.Script(scripted.JSON(529, overloaded))
	_, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", true))
	require.Equal(t, apperr.ProviderOverloaded, apperr.CodeOf(err))

	u.Script(scripted.JSON(200, overloaded))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", false))
	require.NoError(t, err)
	require.NotContains(t, string(response.Body), credential)
	_, err = normalize.Chat(response.Body, o)
	require.Equal(t, apperr.ProviderOverloaded, apperr.CodeOf(err))

	for _, before := range [][]string{nil, messageEvents[:4]} {
		u.Script(frameEvents(append(before[:len(before):len(before)], overloaded)...))
		response, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", true))
		require.NoError(t, err)
		_, err = normalize.Collect(response.Events, o)
		require.Equal(t, apperr.ProviderOverloaded, apperr.CodeOf(err))
	}

	u.Script(scripted.Text(http.StatusOK, "application/json", "<html>"))
	_, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", false))
	require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
}

// The usage in the response must match the recorded token counts.
func TestUsageIsDisjoint(t *testing.T) {
	const usage = `"usage":{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":30,` +
		`"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10},"output_tokens":50,"output_tokens_details":{"thinking_tokens":12}}`
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	u.Script(scripted.JSON(200, `{"content":[{"type":"text","text":"x"}],"stop_reason":"end_turn",`+usage+`}`))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", "hello", false))
	require.NoError(t, err)
	a, err := normalize.Chat(response.Body, normalize.Options{ID: "id", Model: "m"})
	require.NoError(t, err)
	require.Equal(t, &catalog.Usage{Input: 10, CacheRead: 100, CacheWrite: 30, CacheWrite1h: 10, Output: 50, Reasoning: 12}, a.Usage)
}

func TestBadBaseURL(t *testing.T) {
	for _, base := range []string{"", "api.example.com", "ftp://example.com"} {
		_, err := anthropic.New(anthropic.Config{Name: "acme", BaseURL: base, Transport: egress.WrapTransport(http.DefaultTransport)})
		require.ErrorContains(t, err, "acme", base)
	}
	_, err := anthropic.New(anthropic.Config{Name: "acme", BaseURL: "http://example.com"})
	require.ErrorContains(t, err, "acme")
}

// Long texts are copied without being decoded.
func TestLongText(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newProvider(t, u.URL)
	long := strings.Repeat("y", 5<<20)
	_, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "claude", long, false))
	require.NoError(t, err)
	require.Contains(t, string(u.Received()[0].Body), long)
}
