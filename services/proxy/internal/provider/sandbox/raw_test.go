package sandbox_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/sandbox"
)

const eventStream = `"headers":{"Content-Type":"text/event-stream"}`

// playRaw sends a streaming request that the sandbox serves with the raw response.
func playRaw(ctx context.Context, t *testing.T, raw string) (*provider.Response, []string, error) {
	t.Helper()
	response, err := sandbox.New().CompleteChat(ctx, newChatCall(t, "sandbox-small", true, "hi", `"x_sandbox":{"raw":`+raw+`}`))
	if err != nil || response.Events == nil {
		return response, nil, err
	}
	payloads, err := providertest.ReadAll(response.Events)
	return response, payloads, err
}

func TestRawStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		bad := base64.StdEncoding.EncodeToString([]byte("{\"\xff\":1}\n\ndata: [DONE]\n\n"))
		_, payloads, err := playRaw(t.Context(), t, fmt.Sprintf(
			`{%s,"pieces":["da","ta: {}\r\n\r\n: ping\n\nda",{"wait_ms":60000,"data":"ta:"},{"base64":%q}]}`, eventStream, bad))
		require.NoError(t, err)
		require.Equal(t, []string{"{}", "{\"\xff\":1}"}, payloads)
		require.Equal(t, time.Minute, time.Since(began))
	})
}

func TestRawIsReadLikeVendorResponse(t *testing.T) {
	for raw, want := range map[string]apperr.Code{
		`{"status":429,"headers":{"Retry-After":"7"}}`:                          apperr.ProviderRateLimited,
		`{"status":400,"pieces":["{\"error\":{\"code\":\"content_filter\"}}"]}`: apperr.ContentFiltered,
		`{` + eventStream + `,"pieces":["data: {}\n\n"],"end":"close"}`:         apperr.ProviderConnection,
		`{` + eventStream + `,"pieces":["data: {}\n\n"],"end":"reset"}`:         apperr.ProviderConnection,
		`{"end":"close"}`: apperr.ProviderConnection,
		`{"verbatim":true,"pieces":["HTTP/1.1 abc\r\n"]}`:                               apperr.ProviderConnection,
		`{"verbatim":true,"pieces":["HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"]}`: apperr.ProviderOverloaded,
	} {
		_, _, err := playRaw(t.Context(), t, raw)
		require.Equal(t, want, apperr.CodeOf(err), raw)
	}
	response, _, err := playRaw(t.Context(), t, `{"status":202,"headers":{"X-Request-Id":"r"},"pieces":["not ","JSON"]}`)
	require.NoError(t, err)
	response.ReleaseBody = nil // functions cannot be compared
	require.Equal(t, provider.Response{Status: 202, UpstreamID: "r", UpstreamCalls: 1, Body: []byte("not JSON")}, *response)
}

func TestRawHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, payloads, err := playRaw(ctx, t, `{`+eventStream+`,"pieces":["data: {}\n\n"],"end":"hang"}`)
		require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
		require.Len(t, payloads, 1)
	})
}

func TestRawEmbeddings(t *testing.T) {
	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"auto","input":"x","x_sandbox":{"raw":{"pieces":["{\"data\":[]}"]}}}`))
	require.NoError(t, err)
	response, err := sandbox.New().Embed(t.Context(), provider.Call{Request: r, UpstreamModel: "sandbox-embed"})
	require.NoError(t, err)
	require.Equal(t, `{"data":[]}`, string(response.Body))
}

func TestModelFaultsAreIndependent(t *testing.T) {
	script := `"x_sandbox":{"text":"all","raw":null,"models":{"sandbox-small":{"text":"one"},"sandbox-large":{"raw":{"status":500}}}}`
	require.Equal(t, "one", sendChat(t, "sandbox-small", "hi", script).Content)
	require.Equal(t, "all", sendChat(t, "sandbox-medium", "hi", script).Content)
	_, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-large", false, "hi", script))
	require.Equal(t, apperr.ProviderUpstream, apperr.CodeOf(err))
}

func TestBadRawScripts(t *testing.T) {
	for raw, param := range map[string]string{
		`5`:                               "x_sandbox.raw",
		`{"status":199}`:                  "x_sandbox.raw.status",
		`{"end":"slowly"}`:                "x_sandbox.raw.end",
		`{"pieces":[{"wait_ms":600001}]}`: "x_sandbox.raw.pieces.0.wait_ms",
		`{"pieces":[{"base64":"*"}]}`:     "x_sandbox.raw.pieces.0.base64",
		`{"pieces":[{"text":"a"}]}`:       "x_sandbox.raw.pieces.0.text",
		`{"pieces":[5]}`:                  "x_sandbox.raw.pieces.0",
	} {
		_, _, err := playRaw(t.Context(), t, raw)
		require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err), raw)
		require.Equal(t, param, apperr.From(err).Details["param"], raw)
	}
}
