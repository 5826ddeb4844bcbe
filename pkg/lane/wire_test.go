package lane_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/signalbox/signalbox/pkg/lane"
)

// plain is a codec of gRPC's for texts.
type plain struct{}

func (plain) Name() string { return "proto" }

func (plain) Marshal(v any) ([]byte, error) { return []byte(*v.(*string)), nil } //nolint:forcetypeassert // a test's

func (plain) Unmarshal(data []byte, v any) error {
	*v.(*string) = string(data) //nolint:forcetypeassert // a test's
	return nil
}

var talk = &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}

// On the wire a lane is gRPC: a library's client talks to our server.
func TestAClientOfTheLibrary(t *testing.T) {
	client, server := pair(t)
	ended := serve(t.Context(), server, echo, nil)
	conn, err := grpc.NewClient("passthrough:///peer", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return client, nil }))
	require.NoError(t, err)
	s, err := conn.NewStream(t.Context(), talk, method, grpc.ForceCodec(plain{}))
	require.NoError(t, err)
	for _, n := range []int{3, 100_000, 900_000, 900_000, 0} {
		want := strings.Repeat("x", n)
		require.NoError(t, s.SendMsg(&want))
		var got string
		require.NoError(t, s.RecvMsg(&got))
		require.Equal(t, want, got)
	}
	require.NoError(t, s.CloseSend())
	require.ErrorIs(t, s.RecvMsg(new(string)), io.EOF)
	require.NoError(t, <-ended)
	require.NoError(t, conn.Close())
}

// A library's server answers our client, and its refusals arrive.
func TestAServerOfTheLibrary(t *testing.T) {
	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := grpc.NewServer(grpc.ForceServerCodec(plain{}), grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		for {
			var m string
			if err := s.RecvMsg(&m); errors.Is(err, io.EOF) {
				return status.Error(codes.DataLoss, "50 % of it")
			} else if err != nil {
				return err
			}
			if err := s.SendMsg(&m); err != nil {
				return err
			}
		}
	}))
	served := make(chan error, 1)
	go func() { served <- srv.Serve(lis) }()
	raw, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", lis.Addr().String())
	require.NoError(t, err)
	s := open(t, raw)
	for _, n := range []int{3, 100_000, 900_000, 900_000, 0} {
		go func() { _ = s.Send(text(strings.Repeat("x", n))) }()
		got, err := s.Recv()
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("x", n), string(got))
	}
	require.NoError(t, s.CloseSend())
	_, err = s.Recv()
	require.Equal(t, codes.DataLoss, status.Code(err))
	require.ErrorContains(t, err, "50 % of it")
	require.NoError(t, s.Close())
	srv.Stop()
	require.NoError(t, <-served)
}

// Whoever does not speak as agreed is not spoken to.
func TestBadPeers(t *testing.T) {
	message := func(flag byte, length uint32) []byte {
		return binary.BigEndian.AppendUint32([]byte{flag}, length)
	}
	tests := map[string]func(c net.Conn, f *http2.Framer) error{
		"no HTTP/2": func(c net.Conn, _ *http2.Framer) error {
			_, err := fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: someone\r\n\r\n")
			return err
		},
		"compressed": func(c net.Conn, f *http2.Framer) error { return begun(c, f, message(1, 3)) },
		"too long":   func(c net.Conn, f *http2.Framer) error { return begun(c, f, message(0, 1<<30)) },
		"data before a stream": func(c net.Conn, f *http2.Framer) error {
			_, err := io.WriteString(c, http2.ClientPreface)
			return errors.Join(err, f.WriteSettings(), f.WriteData(7, false, make([]byte, 1000)))
		},
		"data of another stream": func(c net.Conn, f *http2.Framer) error {
			return errors.Join(begun(c, f, message(0, 3)), f.WriteData(3, false, []byte("abc")))
		},
		"a cut message": func(c net.Conn, f *http2.Framer) error {
			return errors.Join(begun(c, f, message(0, 3)), f.WriteData(1, true, []byte("ab")))
		},
		"no stream": func(c net.Conn, f *http2.Framer) error {
			_, err := io.WriteString(c, http2.ClientPreface)
			return errors.Join(err, f.WriteSettings(), f.WriteGoAway(0, http2.ErrCodeNo, nil))
		},
	}
	for name, say := range tests {
		t.Run(name, func(t *testing.T) {
			client, server := pair(t)
			ended := serve(t.Context(), server, echo, nil)
			go func() { _, _ = io.Copy(io.Discard, client) }()
			require.NoError(t, say(client, http2.NewFramer(client, nil)))
			require.Error(t, <-ended)
		})
	}
}

// begun begins a stream and sends a piece of a message.
func begun(c net.Conn, f *http2.Framer, data []byte) error {
	_, err := io.WriteString(c, http2.ClientPreface)
	// The path alone, as a literal that is not kept: its name is the fourth of
	// the table that all know.
	head := append([]byte{0x04, byte(len(method))}, method...)
	return errors.Join(err, f.WriteSettings(),
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head, EndHeaders: true}),
		f.WriteData(1, false, data))
}

// memory is both ends of a connection that the bubble's clock knows.
func memory(t *testing.T) (client, server net.Conn) {
	t.Helper()
	lis := bufconn.Listen(64 << 10)
	dialled := make(chan net.Conn, 1)
	go func() {
		c, _ := lis.DialContext(t.Context())
		dialled <- c
	}()
	server, err := lis.Accept()
	require.NoError(t, err)
	return <-dialled, server
}

// A peer that says nothing more, not even to pings, is given up.
func TestASilentServerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := memory(t)
		go func() {
			_ = http2.NewFramer(server, nil).WriteSettings()
			_, _ = io.Copy(io.Discard, server)
		}()
		began := time.Now()
		s := open(t, client)
		_, err := s.Recv()
		require.ErrorContains(t, err, "silent")
		require.Less(t, time.Since(began), 30*time.Second)
		require.NoError(t, s.Close())
		require.NoError(t, server.Close())
	})
}

// A server that stops does not wait for a client that reads nothing.
func TestAStopDoesNotWaitForWhoReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		ctx, stop := context.WithCancel(t.Context())
		ended := serve(ctx, server, echo, nil)
		f := http2.NewFramer(client, client)
		go func() { _ = begun(client, f, nil) }()
		for range 4 { // settings, a window, the answer to settings, headers
			_, err := f.ReadFrame()
			require.NoError(t, err)
		}
		<-time.After(3 * time.Second)
		began := time.Now()
		stop()
		require.Error(t, <-ended)
		require.Less(t, time.Since(began), 2*time.Second)
		require.NoError(t, client.Close())
	})
}

// One that answers pings is not.
func TestAQuietStreamStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := memory(t)
		ended := serve(t.Context(), server, echo, nil)
		s := open(t, client)
		received := make(chan string, 1)
		go func() {
			got, _ := s.Recv()
			received <- string(got)
		}()
		<-time.After(time.Hour) // of the bubble's own clock
		require.NoError(t, s.Send(text("still here")))
		require.Equal(t, "still here", <-received)
		require.NoError(t, s.Close())
		require.Error(t, <-ended)
	})
}

func BenchmarkRoundTrip(b *testing.B) {
	lis, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go func() {
		raw, err := lis.Accept()
		if err == nil {
			serve(b.Context(), raw, echo, nil)
		}
	}()
	raw, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", lis.Addr().String())
	require.NoError(b, err)
	s, err := lane.Open(b.Context(), raw, "peer", method)
	require.NoError(b, err)
	question := text(strings.Repeat("x", 2000))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Send(question); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Recv(); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, errors.Join(s.Close(), lis.Close()))
}
