package openairesponses_test

import (
	"context"
	"encoding/json"
	"net/http"
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
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openairesponses"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

const credential = "sk-the-house-key-of-acme"

const plainResponse = `{"id":"resp_1","object":"response","status":"completed","error":null,"incomplete_details":null,"model":"pro",` +
	`"output":[{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello there.","annotations":[]}]}],` +
	`"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":1},"total_tokens":12}}`

var responseEvents = []string{
	`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","output":[]}}`,
	`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","content":[]}}`,
	`{"type":"response.output_text.delta","sequence_number":2,"output_index":0,"content_index":0,"delta":"Hello","logprobs":[]}`,
	`{"type":"response.output_text.delta","sequence_number":3,"output_index":0,"content_index":0,"delta":" there.","logprobs":[]}`,
	`{"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"Hello there."}]}}`,
	`{"type":"response.completed","sequence_number":5,"response":` + plainResponse + `}`,
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
		return scripted.JSON(400, `{"error":{"type":"invalid_request_error","message":"not JSON"}}`)
	}
	a := scripted.JSON(200, plainResponse)
	if body.Stream {
		a = frameEvents(responseEvents...)
	}
	return a.WithHeader("X-Request-Id", "req_1")
}

// responsesEndpoint calls the endpoint of a model that exists only in the Responses API.
type responsesEndpoint struct{ *openairesponses.Provider }

func (e responsesEndpoint) CompleteChat(ctx context.Context, call provider.Call) (*provider.Response, error) {
	call.Wire = call.Wire.Merge(&catalog.Wire{API: catalog.ProtocolResponses})
	return e.Provider.CompleteChat(ctx, call)
}

func newEndpoint(t *testing.T, base string) responsesEndpoint {
	t.Helper()
	transport := egress.New(egress.Config{AllowPrivate: true})
	t.Cleanup(transport.CloseIdleConnections)
	keys, err := keypool.New(keypool.Key{Name: "env:ACME_KEY", Secret: credential})
	require.NoError(t, err)
	p, err := openairesponses.New(openairesponses.Config{
		Name: "acme", BaseURL: base, Keys: keys, Transport: transport, Version: "1.2.3",
	})
	require.NoError(t, err)
	return responsesEndpoint{p}
}

func TestContract(t *testing.T) {
	providertest.RunUpstream(t, providertest.Vendor{
		Serve:   serve,
		Headers: []string{"Authorization", "Content-Type", "Accept", "User-Agent"},
		Client: func(t *testing.T, u *scriptedtest.Upstream) providertest.Subject {
			return providertest.Subject{ChatCompleter: newEndpoint(t, u.URL+"/v1"), ChatModel: "pro"}
		},
	})
}

func TestSentRequest(t *testing.T) {
	u := scriptedtest.New(t, serve)
	response, err := newEndpoint(t, u.URL+"/v1").CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", false))
	require.NoError(t, err)
	require.Equal(t, "req_1", response.UpstreamID)
	require.Equal(t, []string{"seed"}, response.DroppedFields)
	got := u.Received()[0]
	require.Equal(t, "/v1/responses", got.Path)
	require.Equal(t, "Bearer "+credential, got.Header.Get("Authorization"))
	require.JSONEq(t, `{"model":"pro","input":[{"type":"message","role":"user","content":"hello"}],"store":false,"include":["reasoning.encrypted_content"]}`,
		string(got.Body))
}

// Other endpoints of the provider use chat completions.
func TestOtherEndpointsUseChatCompletions(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newEndpoint(t, u.URL+"/v1").Provider
	for _, wire := range []*catalog.Wire{nil, {}, {API: catalog.ProtocolChat}} {
		call := providertest.ChatCall(t, "gpt", "hello", false)
		call.Wire = wire
		_, err := p.CompleteChat(t.Context(), call)
		require.NoError(t, err)
	}
	for _, got := range u.Received() {
		require.Equal(t, "/v1/chat/completions", got.Path)
	}
}

func chatCall(t *testing.T, body string) provider.Call {
	t.Helper()
	r, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: "pro"}
}

func TestUnsupportedRequestIsNotSent(t *testing.T) {
	u := scriptedtest.New(t, serve)
	_, err := newEndpoint(t, u.URL).CompleteChat(t.Context(), chatCall(t, `{"model":"m","n":2,"messages":[{"role":"user","content":"x"}]}`))
	require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
	require.Equal(t, "n", apperr.From(err).Details["param"])
	require.Empty(t, u.Received())
}

// Reasoning that the upstream cannot decrypt is left out in the next call.
func TestRejectedReasoning(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newEndpoint(t, u.URL)
	const rejection = `{"error":{"code":"invalid_encrypted_content","message":"The encrypted content gAAA could not be verified.","type":"invalid_request_error"}}`
	call := chatCall(t, `{"model":"m","messages":[{"role":"assistant","content":"x","reasoning_details":[`+
		`{"type":"reasoning.encrypted","format":"openai-responses-v1","id":"rs_1","data":"gAAA"}]},{"role":"user","content":"y"}]}`)
	u.Script(scripted.JSON(400, rejection))
	_, err := p.CompleteChat(t.Context(), call)
	var repeat *provider.RepeatError
	require.ErrorAs(t, err, &repeat)
	require.Equal(t, provider.NoSignatures, repeat.Reason)
	require.Contains(t, string(u.Received()[0].Body), `"encrypted_content":"gAAA"`)

	call.Repeat = repeat.Next
	response, err := p.CompleteChat(t.Context(), call)
	require.NoError(t, err)
	require.Contains(t, response.DroppedFields, "messages[].reasoning_details")
	require.NotContains(t, string(u.Received()[1].Body), "gAAA")

	u.Script(scripted.JSON(400, rejection))
	_, err = p.CompleteChat(t.Context(), call)
	require.NotErrorAs(t, err, new(*provider.RepeatError), "there is nothing to leave out")
}

func TestResponseInOtherForm(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newEndpoint(t, u.URL)
	u.Script(scripted.JSON(200, plainResponse))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", true))
	require.NoError(t, err)
	require.Contains(t, string(response.Body), `"content":"Hello there."`)

	u.Script(frameEvents(responseEvents...))
	response, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", false))
	require.NoError(t, err)
	a, err := normalize.Collect(response.Events, normalize.Options{ID: "id", Model: "m"})
	require.NoError(t, err)
	require.Contains(t, string(a.Body), `"content":"Hello there."`)
}

func TestIncompleteStream(t *testing.T) {
	u := scriptedtest.New(t, serve)
	u.Script(frameEvents(responseEvents[:4]...))
	response, err := newEndpoint(t, u.URL).CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", true))
	require.NoError(t, err)
	chunks, err := providertest.ReadAll(response.Events)
	require.Equal(t, sse.ErrNoDone, err)
	require.Len(t, chunks, 3)
}

// An upstream that keeps the connection open after its last event must not delay the caller.
func TestEndDoesNotWaitForConnection(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newEndpoint(t, u.URL)
	for _, call := range []func(context.Context, provider.Call) (*provider.Response, error){p.CompleteChat, p.CallNative} {
		a := frameEvents(responseEvents...)
		a.Ending = scripted.Hang
		u.Script(a)
		response, err := call(t.Context(), providertest.ChatCall(t, "pro", "hello", true))
		require.NoError(t, err)
		_, err = providertest.ReadAll(response.Events)
		require.NoError(t, err)
		u.AwaitDisconnect(t)
	}
}

func TestErrorsOfAllKinds(t *testing.T) {
	const overloaded = `{"code":"server_is_overloaded","message":"Overloaded ` + credential + `","type":"service_unavailable_error"}`
	u := scriptedtest.New(t, serve)
	p := newEndpoint(t, u.URL)
	o := normalize.Options{ID: "id", Model: "m"}

	u.Script(scripted.JSON(503, `{"error":`+overloaded+`}`))
	_, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", true))
	require.Equal(t, apperr.ProviderOverloaded, apperr.CodeOf(err))

	u.Script(scripted.JSON(200, `{"id":"resp_1","status":"failed","error":`+overloaded+`,"output":[]}`))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", false))
	require.NoError(t, err)
	require.NotContains(t, string(response.Body), credential)
	_, err = normalize.Chat(response.Body, o)
	require.Equal(t, apperr.ProviderOverloaded, apperr.CodeOf(err))

	for _, event := range []string{
		`{"type":"response.failed","response":{"status":"failed","error":` + overloaded + `}}`,
		`{"type":"error","code":"server_is_overloaded","message":"Overloaded","param":null,"sequence_number":4}`,
		`{"error":` + overloaded + `}`,
	} {
		for _, before := range [][]string{nil, responseEvents[:4]} {
			u.Script(frameEvents(append(before[:len(before):len(before)], event)...))
			response, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", true))
			require.NoError(t, err)
			_, err = normalize.Collect(response.Events, o)
			require.Equal(t, apperr.ProviderOverloaded, apperr.CodeOf(err), event)
		}
	}

	u.Script(scripted.Text(http.StatusOK, "application/json", "<html>"))
	_, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", false))
	require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
}

// The usage in the response must match the recorded token counts.
func TestUsageIsDisjoint(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newEndpoint(t, u.URL)
	want := &catalog.Usage{Input: 5, CacheRead: 4, Output: 3, Reasoning: 1}
	for _, stream := range []bool{false, true} {
		response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "pro", "hello", stream))
		require.NoError(t, err)
		var a normalize.Response
		if stream {
			a, err = normalize.Collect(response.Events, normalize.Options{ID: "id", Model: "m"})
		} else {
			a, err = normalize.Chat(response.Body, normalize.Options{ID: "id", Model: "m"})
		}
		require.NoError(t, err)
		require.Equal(t, want, a.Usage)
		require.Zero(t, a.UsageDiscrepancy)
	}
}

func TestBadBaseURL(t *testing.T) {
	for _, base := range []string{"", "api.example.com", "ftp://example.com"} {
		_, err := openairesponses.New(openairesponses.Config{Name: "acme", BaseURL: base, Transport: egress.WrapTransport(http.DefaultTransport)})
		require.ErrorContains(t, err, "acme", base)
	}
}
