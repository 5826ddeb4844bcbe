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
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/sandbox"
)

const eventStream = `"headers":{"Content-Type":"text/event-stream"}`

// played is what a stream request gets when the sandbox answers so.
func played(ctx context.Context, t *testing.T, raw string) (*provider.Reply, []string, error) {
	t.Helper()
	reply, err := sandbox.New().Chat(ctx, call(t, "sandbox-small", true, "hi", `"x_sandbox":{"raw":`+raw+`}`))
	if err != nil || reply.Events == nil {
		return reply, nil, err
	}
	payloads, err := providertest.ReadAll(reply.Events)
	return reply, payloads, err
}

func TestRawStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		bad := base64.StdEncoding.EncodeToString([]byte("\"\xff\"\n\ndata: [DONE]\n\n"))
		_, payloads, err := played(t.Context(), t, fmt.Sprintf(
			`{%s,"pieces":["da","ta: {}\r\n\r\n: ping\n\nda",{"wait_ms":60000,"data":"ta:"},{"base64":%q}]}`, eventStream, bad))
		require.NoError(t, err)
		require.Equal(t, []string{"{}", "\"\xff\""}, payloads)
		require.Equal(t, time.Minute, time.Since(began))
	})
}

func TestRawIsReadLikeAVendorsAnswer(t *testing.T) {
	for raw, want := range map[string]apperr.Code{
		`{"status":429,"headers":{"Retry-After":"7"}}`:                          apperr.ProviderRateLimited,
		`{"status":400,"pieces":["{\"error\":{\"code\":\"content_filter\"}}"]}`: apperr.ContentFiltered,
		`{` + eventStream + `,"pieces":["data: {}\n\n"],"end":"close"}`:         apperr.ProviderConnection,
		`{` + eventStream + `,"pieces":["data: {}\n\n"],"end":"reset"}`:         apperr.ProviderConnection,
		`{"end":"close"}`: apperr.ProviderConnection,
		`{"verbatim":true,"pieces":["HTTP/1.1 abc\r\n"]}`:                               apperr.ProviderConnection,
		`{"verbatim":true,"pieces":["HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"]}`: apperr.ProviderOverloaded,
	} {
		_, _, err := played(t.Context(), t, raw)
		require.Equal(t, want, apperr.CodeOf(err), raw)
	}
	reply, _, err := played(t.Context(), t, `{"status":202,"headers":{"X-Request-Id":"r"},"pieces":["not ","JSON"]}`)
	require.NoError(t, err)
	require.Equal(t, provider.Reply{Status: 202, UpstreamID: "r", Calls: 1, Body: []byte("not JSON")}, *reply)
}

func TestRawHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, payloads, err := played(ctx, t, `{`+eventStream+`,"pieces":["data: {}\n\n"],"end":"hang"}`)
		require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
		require.Len(t, payloads, 1)
	})
}

func TestRawEmbeddings(t *testing.T) {
	r, err := openai.ParseEmbeddings([]byte(`{"model":"auto","input":"x","x_sandbox":{"raw":{"pieces":["{\"data\":[]}"]}}}`))
	require.NoError(t, err)
	reply, err := sandbox.New().Embed(t.Context(), provider.Call{Request: r, Upstream: "sandbox-embed"})
	require.NoError(t, err)
	require.Equal(t, `{"data":[]}`, string(reply.Body))
}

func TestFaultOfOneModelIsItsOwn(t *testing.T) {
	script := `"x_sandbox":{"text":"all","raw":null,"models":{"sandbox-small":{"text":"one"},"sandbox-large":{"raw":{"status":500}}}}`
	require.Equal(t, "one", ask(t, "sandbox-small", "hi", script).Content)
	require.Equal(t, "all", ask(t, "sandbox-medium", "hi", script).Content)
	_, err := sandbox.New().Chat(t.Context(), call(t, "sandbox-large", false, "hi", script))
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
		_, _, err := played(t.Context(), t, raw)
		require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err), raw)
		require.Equal(t, param, apperr.From(err).Details["param"], raw)
	}
}
