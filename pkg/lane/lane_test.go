package lane_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/lane"
)

const method = "/test.Service/Talk"

// text is a message.
type text string

func (t text) AppendMessage(dst []byte) []byte { return append(dst, t...) }

func echo(message string) (lane.Message, error) { return text(message), nil }

// pair is both ends of a connection over the network of this machine.
func pair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, lis.Close()) }()
	client, err = (&net.Dialer{}).DialContext(t.Context(), "tcp", lis.Addr().String())
	require.NoError(t, err)
	server, err = lis.Accept()
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	return client, server
}

// serve answers on a connection until ctx ends; it tells how that ended.
func serve(ctx context.Context, raw net.Conn, answer lane.Answer, refusal error) <-chan error {
	ended := make(chan error, 1)
	go func() {
		ended <- lane.Serve(ctx, raw, func(m string) (lane.Answer, error) {
			if m != method {
				return nil, status.Error(codes.Unimplemented, m)
			}
			return answer, refusal
		})
	}()
	return ended
}

func open(t *testing.T, raw net.Conn) *lane.Stream {
	t.Helper()
	s, err := lane.Open(t.Context(), raw, "peer", method)
	require.NoError(t, err)
	return s
}

func TestMessagesOfAllSizesAreAnsweredInTheirOrder(t *testing.T) {
	client, server := pair(t)
	ended := serve(t.Context(), server, echo, nil)
	s := open(t, client)
	sizes := []int{0, 1, 1000, 16<<10 - 5, 16 << 10, 70_000, 1 << 20, 3}
	go func() {
		for _, n := range sizes {
			_ = s.Send(text(strings.Repeat("x", n)))
		}
		_ = s.CloseSend()
	}()
	for _, n := range sizes {
		got, err := s.Recv()
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("x", n), string(got))
	}
	_, err := s.Recv()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, <-ended)
	require.ErrorIs(t, s.Send(text("more")), lane.ErrClosed)
	require.NoError(t, s.Close())
}

// Many more bytes pass than may be under way, sent by many at a time.
func TestMessagesOfManySendersStayWhole(t *testing.T) {
	client, server := pair(t)
	serve(t.Context(), server, echo, nil)
	s := open(t, client)
	const senders, each, size = 8, 100, 20_000
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			for range each {
				_ = s.Send(text(strings.Repeat(string(rune('a'+i)), size)))
			}
		})
	}
	for range senders * each {
		got, err := s.Recv()
		require.NoError(t, err)
		require.Equal(t, strings.Repeat(string(got[:1]), size), string(got))
	}
	all.Wait()
	require.NoError(t, s.Close())
}

func TestWhoIsRefusedLearnsWhy(t *testing.T) {
	client, server := pair(t)
	refusal := status.Error(codes.PermissionDenied, "100 % no, für niemanden")
	ended := serve(t.Context(), server, nil, refusal)
	_, err := open(t, client).Recv()
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	require.ErrorContains(t, err, "100 % no, für niemanden")
	require.Equal(t, refusal, <-ended)
}

func TestAnAnswerThatFailsEndsTheStream(t *testing.T) {
	client, server := pair(t)
	serve(t.Context(), server, func(string) (lane.Message, error) { return nil, status.Error(codes.Internal, "broken") }, nil)
	s := open(t, client)
	require.NoError(t, s.Send(text("question")))
	_, err := s.Recv()
	require.Equal(t, codes.Internal, status.Code(err))
}

// A stop lets what is being answered be answered, and says why it ends.
func TestAStopAnswersFirst(t *testing.T) {
	client, server := pair(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := serve(ctx, server, func(message string) (lane.Message, error) {
		stop()
		return text(message), nil
	}, nil)
	s := open(t, client)
	require.NoError(t, s.Send(text("question")))
	got, err := s.Recv()
	require.NoError(t, err)
	require.Equal(t, "question", string(got))
	_, err = s.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.Equal(t, codes.Unavailable, status.Code(<-ended))
}

// Whoever waits until the server takes more is let go when the stream ends.
func TestNobodyWaitsOnAnEndedStream(t *testing.T) {
	client, server := pair(t)
	release := make(chan struct{})
	serve(t.Context(), server, func(string) (lane.Message, error) {
		<-release
		return text(""), nil
	}, nil)
	defer close(release)
	s := open(t, client)
	sent := make(chan error, 1)
	go func() {
		for {
			if err := s.Send(text(strings.Repeat("x", 1<<20))); err != nil {
				sent <- err
				return
			}
		}
	}()
	select {
	case err := <-sent:
		t.Errorf("sent without end: %v", err)
	case <-time.After(50 * time.Millisecond): // for it to be stuck, most likely
	}
	require.NoError(t, s.Close())
	require.Error(t, <-sent)
}

func TestAStreamEndsWithItsContext(t *testing.T) {
	client, server := pair(t)
	ended := serve(t.Context(), server, echo, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := lane.Open(ctx, client, "peer", method)
	require.NoError(t, err)
	cancel()
	_, err = s.Recv()
	require.ErrorIs(t, err, context.Canceled)
	require.Error(t, <-ended)
}

// Both sides write more than is held on the way, and both go on: neither waits
// to write before it reads.
func TestBothSidesMayBeSlow(t *testing.T) {
	client, server := memory(t)
	serve(t.Context(), server, func(m string) (lane.Message, error) { return text(strings.Repeat("y", 40*len(m))), nil }, nil)
	s := open(t, client)
	const n = 2000
	sent := make(chan error, 1)
	go func() {
		for range n {
			if err := s.Send(text(strings.Repeat("x", 500))); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for range n {
		_, err := s.Recv()
		require.NoError(t, err)
	}
	require.NoError(t, <-sent)
}

// The end of a stream is heard by who is stuck in the system's write.
func TestAnEndInterruptsAWrite(t *testing.T) {
	client, server := pair(t)
	f := http2.NewFramer(server, nil)
	require.NoError(t, f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30}))
	require.NoError(t, f.WriteWindowUpdate(0, 1<<30))
	ctx, cancel := context.WithCancel(t.Context())
	s, err := lane.Open(ctx, client, "peer", method)
	require.NoError(t, err)
	received := make(chan error, 1)
	go func() {
		_, err := s.Recv()
		received <- err
	}()
	sent := make(chan error, 1)
	go func() {
		for {
			if err := s.Send(text(strings.Repeat("x", 1<<20))); err != nil {
				sent <- err
				return
			}
		}
	}()
	select {
	case err := <-sent:
		t.Errorf("sent without end: %v", err)
	case <-time.After(50 * time.Millisecond): // for it to be stuck, most likely
	}
	cancel()
	require.ErrorIs(t, <-sent, context.Canceled)
	require.ErrorIs(t, <-received, context.Canceled)
}
