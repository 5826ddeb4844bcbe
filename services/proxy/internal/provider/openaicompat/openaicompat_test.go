package openaicompat_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

func newProvider(t *testing.T, c openaicompat.Config) *openaicompat.Provider {
	t.Helper()
	c.Name, c.Version = "acme", "1.2.3"
	transport := egress.New(egress.Config{AllowPrivate: true})
	t.Cleanup(transport.CloseIdleConnections)
	c.Transport = transport
	p, err := openaicompat.New(c)
	require.NoError(t, err)
	return p
}

// keys returns a pool with one key, or nil for an empty credential.
func keys(t *testing.T, credential config.Secret) *keypool.Pool {
	t.Helper()
	if credential == "" {
		return nil
	}
	p, err := keypool.New(keypool.Key{Name: "env:ACME_KEY", Secret: credential})
	require.NoError(t, err)
	return p
}

func TestContract(t *testing.T) {
	providertest.RunUpstream(t, providertest.Vendor{
		Serve:   scriptedtest.OpenAI,
		Headers: []string{"Authorization", "Content-Type", "Accept", "User-Agent"},
		Client: func(t *testing.T, u *scriptedtest.Upstream) providertest.Subject {
			p := newProvider(t, openaicompat.Config{BaseURL: u.URL + "/v1", Keys: keys(t, "sk-secret")})
			return providertest.Subject{ChatCompleter: p, Embedder: p, ChatModel: "gpt", EmbedModel: "embed"}
		},
	})
}

func TestRequestIsForwardedUnchanged(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL + "/v1/", Keys: keys(t, "sk-secret")})
	call := providertest.ChatCall(t, "vendor/gpt", "hello", false)
	response, err := p.CompleteChat(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, "upstream-1", response.UpstreamID)
	_, err = p.Embed(t.Context(), providertest.EmbedCall(t, "embed", `"x"`))
	require.NoError(t, err)
	response, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "vendor/gpt", "hello", true))
	require.NoError(t, err)
	require.NoError(t, response.Events.Close())

	got := u.Received()
	require.Equal(t, "/v1/chat/completions", got[0].Path)
	require.Equal(t, "/v1/embeddings", got[1].Path)
	want := strings.Replace(string(call.Request.Body), `"auto"`, `"vendor/gpt"`, 1)
	require.Equal(t, want, string(got[0].Body))
	require.Equal(t, "Bearer sk-secret", got[0].Header.Get("Authorization"))
	require.Equal(t, "signalbox/1.2.3", got[0].Header.Get("User-Agent"))
	require.Equal(t, "application/json", got[0].Header.Get("Content-Type"))
	require.Equal(t, "application/json", got[0].Header.Get("Accept"))
	require.Equal(t, "text/event-stream", got[2].Header.Get("Accept"))
}

func TestWithoutCredential(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	_, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.NoError(t, err)
	require.NotContains(t, u.Received()[0].Header, "Authorization")
}

func TestResponseInOtherForm(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	u.Script(scripted.Text(200, "application/json", `{"choices":[]}`))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", true))
	require.NoError(t, err)
	require.Equal(t, `{"choices":[]}`, string(response.Body))

	u.Script(scripted.Text(200, "Text/Event-Stream;", "data: {}\n\ndata: [DONE]\n\n"))
	response, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.NoError(t, err)
	payloads, err := providertest.ReadAll(response.Events)
	require.NoError(t, err)
	require.Equal(t, []string{"{}"}, payloads)
}

func TestStreamWithoutDone(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	u.Script(scripted.Text(200, "text/event-stream", "data: {}\n\n"))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", true))
	require.NoError(t, err)
	_, err = providertest.ReadAll(response.Events)
	require.Equal(t, sse.ErrNoDone, err)
}

func TestLongEvent(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	long := `{"x":"` + strings.Repeat("y", 5<<20) + `"}`
	u.Script(scripted.Text(200, "text/event-stream", "data: "+long+"\n\ndata: [DONE]\n\n"))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", true))
	require.NoError(t, err)
	payloads, err := providertest.ReadAll(response.Events)
	require.NoError(t, err)
	require.Len(t, payloads, 1)
	require.True(t, payloads[0] == long)
}

// An upstream that keeps the connection open after [DONE] must not delay the caller.
func TestCloseAfterDoneDoesNotWait(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	a := scripted.Text(200, "text/event-stream", "data: [DONE]\n\n")
	a.Ending = scripted.Hang
	u.Script(a)
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", true))
	require.NoError(t, err)
	_, err = providertest.ReadAll(response.Events)
	require.NoError(t, err)
	u.AwaitDisconnect(t)
}

func TestSlowHandshakeIsATimeout(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	p, err := openaicompat.New(openaicompat.Config{
		Name:      "acme",
		BaseURL:   "https://" + silent.Addr().String(),
		Transport: egress.New(egress.Config{AllowPrivate: true, TLSTimeout: 10 * time.Millisecond}),
	})
	require.NoError(t, err)
	_, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
	require.Equal(t, "tls", apperr.From(err).Details["phase"])
}

func TestResponseSizeLimit(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	for size, want := range map[int]apperr.Code{32 << 20: "", 32<<20 + 1: apperr.ProviderInvalidResponse} {
		u.Script(scripted.Text(200, "application/json", strings.Repeat("x", size)))
		_, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
		require.Equal(t, want, apperr.CodeOf(err), "%d bytes", size)
	}
}

func TestCredentialIsRedacted(t *testing.T) {
	const credential = "the-house-credential"
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL, Keys: keys(t, credential)})
	words := `{"error":{"message":"` + credential + ` may not use tools","type":"invalid_request_error"}}`
	o := normalize.Options{ID: "id", Model: "m"}
	shown := func(err error) string { return string(apperr.From(err).Body(apperr.Options{})) }

	u.Script(scripted.Text(400, "application/json", words))
	_, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.Contains(t, shown(err), "*** may not use tools")

	u.Script(scripted.Text(200, "application/json", words))
	response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.NoError(t, err)
	_, err = normalize.Chat(response.Body, o)
	require.Contains(t, shown(err), "*** may not use tools")

	u.Script(scripted.Text(200, "text/event-stream", "data: "+words+"\n\n"))
	response, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.NoError(t, err)
	_, err = normalize.Collect(response.Events, o)
	require.Contains(t, shown(err), "*** may not use tools")
}

// Self-hosted servers often use ordinary words as keys.
func TestShortCredentialIsNotRedacted(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	for _, credential := range []config.Secret{"", "none"} {
		p := newProvider(t, openaicompat.Config{BaseURL: u.URL, Keys: keys(t, credential)})
		u.Script(scripted.Text(200, "application/json", `{"answer":"none"}`))
		response, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
		require.NoError(t, err)
		require.Equal(t, `{"answer":"none"}`, string(response.Body))
		u.Script(scripted.Text(400, "application/json", `{"error":"bad tool"}`))
		_, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
		require.Equal(t, "bad tool", apperr.From(err).Message)
	}
}

func TestErrorWithHugeBody(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	u.Script(scripted.Text(http.StatusBadGateway, "text/html", strings.Repeat("<p>", 1<<20)))
	_, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.Equal(t, apperr.ProviderUpstream, apperr.CodeOf(err))
}

func TestPrivateUpstreamIsRejected(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p, err := openaicompat.New(openaicompat.Config{Name: "acme", BaseURL: u.URL, Transport: egress.New(egress.Config{})})
	require.NoError(t, err)
	_, err = p.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err))
	require.Equal(t, "guard", apperr.From(err).Details["phase"])
	require.Empty(t, u.Received())
}

func TestBadBaseURL(t *testing.T) {
	for _, base := range []string{"", "api.example.com/v1", "ftp://example.com", "http://", "http://[::1"} {
		_, err := openaicompat.New(openaicompat.Config{Name: "acme", BaseURL: base})
		require.ErrorContains(t, err, "acme", base)
	}
}
