package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// smallEmbed is a protocol for embeddings. Embeddings are always translated.
type smallEmbed struct{ eventRelay }

func (smallEmbed) ToChat(r *requestbody.Request) (*inbound.Translation, error) {
	return &inbound.Translation{Body: fmt.Appendf(nil, `{"model":%q,"input":"hi"}`, r.Model), Responder: smallEmbed{}}, nil
}

func (smallEmbed) FromChat(body []byte, o inbound.Options) ([]byte, error) {
	return fmt.Appendf(nil, `{"by":%q,"embedding":%s}`, o.Model, body), nil
}

func parseEmbed(body []byte, model string, _ bool) (*requestbody.Request, error) {
	return &requestbody.Request{Kind: catalog.Embeddings, Protocol: requestbody.Gemini, Body: body, Model: model, InputTokens: 1, InputCount: 1}, nil
}

func TestEmbeddingsOfAnotherProtocol(t *testing.T) {
	for _, kind := range []string{"openai", "gemini"} {
		up := scriptedtest.New(t, func(r scriptedtest.Received) scripted.Response {
			if kind == "gemini" {
				return scripted.JSON(200, `{"embeddings":[{"values":[0.6,0.8]}]}`)
			}
			return scriptedtest.OpenAI(r)
		})
		v := &vendors{rig: newRigOf(t, fmt.Sprintf(`
version: 1
providers: {up: {kind: %s, base_url: "%s/v1", allow_private: true}}
models: {embed: {kind: embeddings, endpoints: [{provider: up, model: e}]}}
defaults: {embedding_baseline: embed}
routes: {auto-embed: {kind: embeddings, select: [{target: embed}]}}
`, kind, up.URL))}
		res, body := v.send(t, http.MethodPost, geminiPath+"embed:testEmbed", `{"content":{}}`, testKey)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.Contains(t, body, `{"by":"embed","embedding":{"object":"list"`)
		require.Contains(t, body, "[0.6,0.8]")
		require.Equal(t, catalog.Embeddings, v.records[0].Kind)
	}
}
