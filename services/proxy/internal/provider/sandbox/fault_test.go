package sandbox_test

import (
	"context"
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

func TestRequestedStatus(t *testing.T) {
	script := `"x_sandbox":{"status":429,"retry_after_ms":1500,"error_code":"slow_down"}`
	for _, stream := range []bool{false, true} {
		_, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-small", stream, "hi", script))
		require.Equal(t, apperr.ProviderRateLimited, apperr.CodeOf(err))
		require.Equal(t, 1500*time.Millisecond, apperr.From(err).RetryAfter)
		require.EqualValues(t, 429, apperr.From(err).Details["upstream_status"])
		require.Equal(t, "slow_down", apperr.From(err).Details["upstream_code"])
	}
}

func TestFaultOfOneModel(t *testing.T) {
	script := `"x_sandbox":{"text":"fine","models":{"sandbox-small":{"status":503}}}`
	_, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-small", false, "hi", script))
	require.Equal(t, apperr.ProviderOverloaded, apperr.CodeOf(err))
	require.Equal(t, "fine", sendChat(t, "sandbox-medium", "hi", script).Content)

	script = `"x_sandbox":{"text":"abcd","models":{"sandbox-small":{"chunks":2}}}`
	s := sendChat(t, "sandbox-small", "hi", script)
	require.Equal(t, "abcd", s.Content, "models inherit what they do not override")
	require.Equal(t, 2, s.Pieces)

	script = `"x_sandbox":{"status":500,"models":{"sandbox-large":{"status":0,"text":"still here"}}}`
	require.Equal(t, "still here", sendChat(t, "sandbox-large", "hi", script).Content)
}

func TestTextAndChunks(t *testing.T) {
	s := sendChat(t, "sandbox-small", "hi", `"x_sandbox":{"text":"abcdefghij","chunks":5}`)
	require.Equal(t, "abcdefghij", s.Content)
	require.Equal(t, 5, s.Pieces)
	s = sendChat(t, "sandbox-small", "hi", `"x_sandbox":{"text":"ab","chunks":7,"chunk_ms":0}`)
	require.Equal(t, "abababab", s.Content)
	require.Equal(t, 7, s.Pieces)
	s = sendChat(t, "sandbox-small", "hi", `"x_sandbox":{"text":""}`)
	require.Empty(t, s.Content)
	require.Equal(t, "stop", s.Finish)
}

func TestRequestedPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := `"x_sandbox":{"delay_ms":1000,"first_token_ms":200,"chunk_ms":30,"chunks":4}`
		begun := time.Now()
		response, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-large", true, "hi", script))
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(begun))
		_, err = providertest.ReadAll(response.Events)
		require.NoError(t, err)
		require.Equal(t, 1320*time.Millisecond, time.Since(begun))

		begun = time.Now()
		_, err = sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-large", false, "hi", script))
		require.NoError(t, err)
		require.Equal(t, 1320*time.Millisecond, time.Since(begun))
	})
}

func TestBreakAfter(t *testing.T) {
	for script, want := range map[string]int{
		`"x_sandbox":{"chunks":5,"break_after":0}`:  0,
		`"x_sandbox":{"chunks":5,"break_after":2}`:  3,
		`"x_sandbox":{"chunks":5,"break_after":50}`: 6,
	} {
		response, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-small", true, "hi", script))
		require.NoError(t, err)
		payloads, err := providertest.ReadAll(response.Events)
		require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err))
		require.Len(t, payloads, want, script)
		_, err = sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-small", false, "hi", script))
		require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err))
	}
}

func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := sandbox.New().CompleteChat(ctx, newChatCall(t, "sandbox-small", true, "hi", `"x_sandbox":{"hang":true}`))
		require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		script := `"x_sandbox":{"hang":true,"break_after":2,"chunks":5}`
		response, err := sandbox.New().CompleteChat(ctx, newChatCall(t, "sandbox-small", true, "hi", script))
		require.NoError(t, err)
		payloads, err := providertest.ReadAll(response.Events)
		require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
		require.Len(t, payloads, 3)
	})
}

func TestFaultsOfEmbeddings(t *testing.T) {
	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"auto","input":"x","x_sandbox":{"models":{"sandbox-embed":{"status":500}}}}`))
	require.NoError(t, err)
	_, err = sandbox.New().Embed(t.Context(), provider.Call{Request: r, UpstreamModel: "sandbox-embed"})
	require.Equal(t, apperr.ProviderUpstream, apperr.CodeOf(err))
}

func TestBadScripts(t *testing.T) {
	for script, param := range map[string]string{
		`{"stauts":500}`:                                 "x_sandbox.stauts",
		`{"status":"500"}`:                               "x_sandbox.status",
		`{"status":200}`:                                 "x_sandbox.status",
		`{"status":600}`:                                 "x_sandbox.status",
		`{"delay_ms":600001}`:                            "x_sandbox.delay_ms",
		`{"delay_ms":-1}`:                                "x_sandbox.delay_ms",
		`{"retry_after_ms":600001}`:                      "x_sandbox.retry_after_ms",
		`{"first_token_ms":600001}`:                      "x_sandbox.first_token_ms",
		`{"chunk_ms":600001}`:                            "x_sandbox.chunk_ms",
		`{"chunks":10001}`:                               "x_sandbox.chunks",
		`{"break_after":10001}`:                          "x_sandbox.break_after",
		`{"models":{"sandbox-small":{"models":{}}}}`:     "x_sandbox.models.sandbox-small.models",
		`{"models":{"sandbox-large":{"chunks":-1}}}`:     "x_sandbox.models.sandbox-large.chunks",
		`{"models":{"sandbox-huge":{}}}`:                 "x_sandbox.models.sandbox-huge",
		`5`:                                              "x_sandbox",
		`{"models":{"sandbox-medium":{"text":{"a":1}}}}`: "x_sandbox.models.sandbox-medium.text",
	} {
		_, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-small", false, "hi", `"x_sandbox":`+script))
		require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err), script)
		require.Equal(t, param, apperr.From(err).Details["param"], script)
		require.Contains(t, apperr.From(err).Message, param)
	}
}
