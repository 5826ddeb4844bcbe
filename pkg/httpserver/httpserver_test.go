package httpserver_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// patience is longer than any wait that succeeds.
const patience = time.Minute

// server serves one handler; stop starts the shutdown and done receives the result.
type server struct {
	url  string
	stop context.CancelFunc
	done chan error
}

func serve(t *testing.T, c httpserver.Config) *server {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{url: "http://" + lis.Addr().String(), stop: cancel, done: make(chan error, 1)}
	c.Log = slog.New(slog.DiscardHandler)
	go func() { s.done <- httpserver.Serve(ctx, lis, c) }()
	t.Cleanup(cancel)
	return s
}

func (s *server) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-s.done:
		require.NoError(t, err)
	case <-time.After(patience):
		t.Fatal("the server did not end")
	}
}

// begun is a handler that signals when it runs and waits to be released.
type begun struct {
	running chan struct{}
	letGo   chan struct{}
	cause   error
}

func newBegun() *begun { return &begun{running: make(chan struct{}), letGo: make(chan struct{})} }

func (b *begun) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	close(b.running)
	select {
	case <-b.letGo:
	case <-r.Context().Done():
		b.cause = context.Cause(r.Context())
	}
	_, _ = io.WriteString(w, "whole")
}

func get(url string) chan string {
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get(url) //nolint:noctx // ended by the server
		if err != nil {
			answer <- err.Error()
			return
		}
		defer func() { _ = res.Body.Close() }()
		b, _ := io.ReadAll(res.Body)
		answer <- string(b)
	}()
	return answer
}

func TestARunningRequestFinishes(t *testing.T) {
	h := newBegun()
	drained := make(chan struct{})
	s := serve(t, httpserver.Config{Handler: h, DrainLimit: patience, OnDrain: func() { close(drained) }})
	answer := get(s.url)
	<-h.running
	s.stop()
	<-drained
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", s.url[len("http://"):])
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, patience, time.Millisecond, "new connections are refused")
	close(h.letGo)
	require.Equal(t, "whole", <-answer)
	s.wait(t)
	require.NoError(t, h.cause, "within the drain limit its context goes on")
}

func TestNewRequestsAreTakenDuringTheDelay(t *testing.T) {
	t.Parallel()
	var ready atomic.Bool
	ready.Store(true)
	drained := make(chan struct{})
	s := serve(t, httpserver.Config{
		Handler:    http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") }),
		DrainDelay: 5 * time.Second, DrainLimit: patience, OnDrain: func() { ready.Store(false); close(drained) },
	})
	s.stop()
	<-drained
	require.False(t, ready.Load())
	res, err := http.Get(s.url)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.True(t, res.Close, "and must use another connection")
	s.wait(t)
}

func TestAtTheLimitContextsEndWithAReason(t *testing.T) {
	h := newBegun()
	s := serve(t, httpserver.Config{Handler: h, DrainLimit: time.Millisecond})
	answer := get(s.url)
	<-h.running
	s.stop()
	require.Equal(t, "whole", <-answer, "the handler still completes the response")
	s.wait(t)
	require.Error(t, h.cause)
	require.NotErrorIs(t, h.cause, context.Canceled, "not as if the client had left")
}

func TestAHandlerThatHangsIsCut(t *testing.T) {
	t.Parallel()
	running, hang := make(chan struct{}), make(chan struct{})
	defer close(hang)
	s := serve(t, httpserver.Config{DrainLimit: time.Millisecond, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(running)
		<-hang
	})})
	answer := get(s.url)
	<-running
	s.stop()
	s.wait(t)
	require.Contains(t, <-answer, "EOF")
}
