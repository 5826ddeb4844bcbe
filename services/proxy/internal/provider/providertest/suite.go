// Package providertest is the contract of provider adapters, as a suite. Run
// holds for every provider; RunUpstream adds what one must do with an upstream
// that misbehaves, played by package scripted. An adapter is done when its
// tests call them and pass. Only tests import it.
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
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Subject is a provider under test.
type Subject struct {
	Chatter provider.Chatter
	// Embedder is nil for a provider that serves none.
	Embedder provider.Embedder
	// ChatModel and EmbedModel are the upstream's names of its models.
	ChatModel, EmbedModel string
	// TextOnly is set if the embedder takes no tokens in the place of texts.
	TextOnly bool
}

var errLeft = errors.New("the client left")

// Run checks what every provider promises. Each part gets a new Subject, whose
// upstream, if there is one, answers well.
func Run(t *testing.T, subject func(t *testing.T) Subject) {
	parts := map[string]func(*testing.T, Subject){
		"plain chat":            testPlain,
		"stream":                testStream,
		"closing":               testClose,
		"cancelled":             testCancelled,
		"cancelled mid-stream":  testCancelledStream,
		"deadline":              testDeadline,
		"concurrent calls":      testConcurrent,
		"embeddings":            testEmbeddings,
		"request is left as is": testUnchanged,
	}
	for name, part := range parts {
		t.Run(name, func(t *testing.T) { part(t, subject(t)) })
	}
}

// ChatCall is a call with the text as the user's message.
func ChatCall(t testing.TB, model, text string, stream bool) provider.Call {
	t.Helper()
	r, err := openai.ParseChat(fmt.Appendf(nil,
		`{"model":"auto","stream":%t,"messages":[{"role":"user","content":%q}],"seed":12345678901234567890}`, stream, text))
	require.NoError(t, err)
	return provider.Call{Request: r, Upstream: model}
}

// EmbedCall is a call with the JSON text as its input.
func EmbedCall(t testing.TB, model, input string) provider.Call {
	t.Helper()
	r, err := openai.ParseEmbeddings(fmt.Appendf(nil, `{"model":"auto","input":%s}`, input))
	require.NoError(t, err)
	return provider.Call{Request: r, Upstream: model}
}

// ReadAll reads a stream to its end, closes it and returns its payloads and
// the error that ended it, nil for a proper end.
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
		payloads = append(payloads, string(p))
	}
}

func testPlain(t *testing.T, s Subject) {
	reply, err := s.Chatter.Chat(t.Context(), ChatCall(t, s.ChatModel, "hello", false))
	require.NoError(t, err)
	require.Equal(t, 200, reply.Status)
	require.Nil(t, reply.Events)
	a, err := openai.ChatAnswer(reply.Body, openai.AnswerOptions{ID: "id", Created: 1, Model: "m"})
	require.NoError(t, err)
	require.Positive(t, a.OutputText)
	require.NotNil(t, a.Usage)
}

func testStream(t *testing.T, s Subject) {
	reply, err := s.Chatter.Chat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	require.Nil(t, reply.Body)
	payloads, err := ReadAll(reply.Events)
	require.NoError(t, err)
	stream := openai.NewStream(openai.StreamOptions{ID: "id", Created: 1, Model: "m"})
	for _, p := range payloads {
		_, err := stream.Event(nil, []byte(p))
		require.NoError(t, err)
	}
	_, err = stream.Finish(nil)
	require.NoError(t, err)
	require.Positive(t, stream.OutputText())
	require.NotNil(t, stream.Usage(), "a stream reports usage")
	_, err = reply.Events.Next()
	require.Error(t, err, "nothing comes after the end")
}

func testClose(t *testing.T, s Subject) {
	reply, err := s.Chatter.Chat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	_, err = reply.Events.Next()
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { _ = reply.Events.Close() })
	}
	wg.Wait()
	for err == nil {
		_, err = reply.Events.Next()
	}
}

func testCancelled(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errLeft)
	_, err := s.Chatter.Chat(ctx, ChatCall(t, s.ChatModel, "hello", false))
	require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(err))
	require.ErrorIs(t, err, errLeft)
}

func testCancelledStream(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	reply, err := s.Chatter.Chat(ctx, ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	cancel(errLeft)
	_, err = ReadAll(reply.Events)
	if err != nil {
		require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(err))
		require.ErrorIs(t, err, errLeft)
	}
}

func testDeadline(t *testing.T, s Subject) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := s.Chatter.Chat(ctx, ChatCall(t, s.ChatModel, "hello", true))
	require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
}

func testConcurrent(t *testing.T, s Subject) {
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		call := ChatCall(t, s.ChatModel, "hello", i%2 == 0)
		wg.Go(func() {
			reply, err := s.Chatter.Chat(t.Context(), call)
			if err == nil && reply.Events != nil {
				_, err = ReadAll(reply.Events)
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
		reply, err := s.Embedder.Embed(t.Context(), call)
		if s.TextOnly && !strings.Contains(input, `"`) {
			require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err), input)
			continue
		}
		require.NoError(t, err, input)
		a, err := openai.EmbeddingsAnswer(reply.Body, call.Request, "m")
		require.NoError(t, err, input)
		require.NotNil(t, a.Usage)
	}
}

func testUnchanged(t *testing.T, s Subject) {
	call := ChatCall(t, s.ChatModel, "hello", false)
	before := bytes.Clone(call.Request.Body)
	_, err := s.Chatter.Chat(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, string(before), string(call.Request.Body))
}
