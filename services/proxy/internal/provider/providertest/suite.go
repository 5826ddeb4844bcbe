// Package providertest is the contract test suite of provider adapters. Run checks the
// promises of package provider. RunUpstream also checks how an adapter handles an upstream
// that misbehaves. Package scripted simulates this upstream. The tests of every adapter must
// call Run or RunUpstream. Only tests import this package.
package providertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Subject is a provider under test.
type Subject struct {
	ChatCompleter provider.ChatCompleter
	// Embedder is nil if the provider serves no embeddings.
	Embedder provider.Embedder
	// ChatModel and EmbedModel are the upstream's names for the models.
	ChatModel, EmbedModel string
	// TextOnly is set if the embedder accepts no token arrays.
	TextOnly bool
}

var errClientCancelled = errors.New("the client cancelled")

// Run checks the promises of package provider. Each part gets a new Subject. The upstream
// of the Subject, if any, must work correctly.
func Run(t *testing.T, subject func(t *testing.T) Subject) {
	parts := map[string]func(*testing.T, Subject){
		"plain chat":            testPlainChat,
		"stream":                testStream,
		"closing":               testClose,
		"cancelled":             testCancelled,
		"cancelled mid-stream":  testCancelledStream,
		"deadline":              testDeadline,
		"concurrent calls":      testConcurrent,
		"embeddings":            testEmbeddings,
		"request is left as is": testRequestUnchanged,
	}
	for name, part := range parts {
		t.Run(name, func(t *testing.T) { part(t, subject(t)) })
	}
}

// ChatCall returns a call with the text as the user's message.
func ChatCall(t testing.TB, model, text string, stream bool) provider.Call {
	t.Helper()
	r, err := requestbody.ParseChat(fmt.Appendf(nil,
		`{"model":"auto","stream":%t,"messages":[{"role":"user","content":%q}],"seed":9223372036854775807}`, stream, text))
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: model}
}

// EmbedCall returns an embeddings call. input is JSON.
func EmbedCall(t testing.TB, model, input string) provider.Call {
	t.Helper()
	r, err := requestbody.ParseEmbeddings(fmt.Appendf(nil, `{"model":"auto","input":%s}`, input))
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: model}
}

// ReadAll reads a stream to its end and closes it. It returns the payloads without
// heartbeats, and the error
// that ended the stream. The error is nil if the stream ended properly.
func ReadAll(events provider.Events) (payloads []string, err error) {
	defer func() { _ = events.Close() }()
	for {
		p, err := events.Next()
		if errors.Is(err, io.EOF) {
			return payloads, nil
		}
		if err != nil {
			return payloads, err
		}
		if len(p) > 0 {
			payloads = append(payloads, string(p))
		}
	}
}

func testPlainChat(t *testing.T, s Subject) {
	response, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", false))
	require.NoError(t, err)
	require.Equal(t, 200, response.Status)
	require.Nil(t, response.Events)
	a, err := normalize.Chat(response.Body, normalize.Options{ID: "id", Created: 1, Model: "m"})
	require.NoError(t, err)
	require.Positive(t, a.OutputTextBytes)
	require.NotNil(t, a.Usage)
}

func testStream(t *testing.T, s Subject) {
	response, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	require.Nil(t, response.Body)
	payloads, err := ReadAll(response.Events)
	require.NoError(t, err)
	stream := normalize.NewStream(normalize.StreamOptions{ID: "id", Created: 1, Model: "m"})
	for _, p := range payloads {
		_, err := stream.AppendEvent(nil, []byte(p))
		require.NoError(t, err)
	}
	_, err = stream.Finish(nil)
	require.NoError(t, err)
	require.Positive(t, stream.OutputTextBytes())
	require.NotNil(t, stream.Usage(), "a stream reports usage")
	_, err = response.Events.Next()
	require.Error(t, err, "no event follows the end")
}

func testClose(t *testing.T, s Subject) {
	response, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	_, err = response.Events.Next()
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { _ = response.Events.Close() })
	}
	wg.Wait()
	for err == nil {
		_, err = response.Events.Next()
	}
}

func testCancelled(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errClientCancelled)
	_, err := s.ChatCompleter.CompleteChat(ctx, ChatCall(t, s.ChatModel, "hello", false))
	require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(err))
	require.ErrorIs(t, err, errClientCancelled)
}

func testCancelledStream(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	response, err := s.ChatCompleter.CompleteChat(ctx, ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	cancel(errClientCancelled)
	_, err = ReadAll(response.Events)
	if err != nil {
		require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(err))
		require.ErrorIs(t, err, errClientCancelled)
	}
}

func testDeadline(t *testing.T, s Subject) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := s.ChatCompleter.CompleteChat(ctx, ChatCall(t, s.ChatModel, "hello", true))
	require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
}

func testConcurrent(t *testing.T, s Subject) {
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		call := ChatCall(t, s.ChatModel, "hello", i%2 == 0)
		wg.Go(func() {
			response, err := s.ChatCompleter.CompleteChat(t.Context(), call)
			if err == nil && response.Events != nil {
				_, err = ReadAll(response.Events)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

func testEmbeddings(t *testing.T, s Subject) {
	if s.Embedder == nil {
		return
	}
	for _, input := range []string{`"one"`, `["one","two"]`, `[1,2,3]`, `[[1],[2,3]]`} {
		call := EmbedCall(t, s.EmbedModel, input)
		response, err := s.Embedder.Embed(t.Context(), call)
		if s.TextOnly && !strings.Contains(input, `"`) {
			require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err), input)
			continue
		}
		require.NoError(t, err, input)
		a, err := normalize.Embeddings(response.Body, call.Request, "m")
		require.NoError(t, err, input)
		require.NotNil(t, a.Usage)
	}
}

func testRequestUnchanged(t *testing.T, s Subject) {
	call := ChatCall(t, s.ChatModel, "hello", false)
	before := bytes.Clone(call.Request.Body)
	_, err := s.ChatCompleter.CompleteChat(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, string(before), string(call.Request.Body))
}
