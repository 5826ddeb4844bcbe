package httpserver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// BenchmarkServers sends the same requests to this package and to net/http: 2 KB of chat, 1 KB of
// response, over 16 connections that are kept open. The handler waits, as for an upstream. cpu-us/op is
// the CPU time of the whole process, so it contains the same clients twice. The difference is what this
// package saves per request.
func BenchmarkServers(b *testing.B) {
	answer := bytes.Repeat([]byte("y"), 1<<10)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-time.After(100 * time.Microsecond)
		w.Header()["Content-Type"] = []string{"application/json"}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
		_, _ = w.Write(answer)
	})
	for _, tt := range []struct {
		name  string
		serve func(ctx context.Context, lis net.Listener) error
	}{
		{"httpserver", func(ctx context.Context, lis net.Listener) error {
			return httpserver.Serve(ctx, lis, httpserver.Config{Handler: handler, Log: slog.New(slog.DiscardHandler), MaxConns: 1000})
		}},
		{"net-http", func(ctx context.Context, lis net.Listener) error {
			s := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
			context.AfterFunc(ctx, func() { _ = s.Close() })
			return s.Serve(lis)
		}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			lis, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(b, err)
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			go func() { _ = tt.serve(ctx, lis) }()
			from := cpuTime(b)
			b.ReportAllocs()
			b.SetParallelism(16)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) { sendRequests(b, lis.Addr().String(), pb) })
			b.ReportMetric(float64(cpuTime(b)-from)/float64(b.N), "cpu-us/op")
		})
	}
}

// sendRequests is a client that costs little: it parses nothing but the end of the response.
func sendRequests(b *testing.B, addr string, pb *testing.PB) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Error(err)
		return
	}
	defer func() { _ = conn.Close() }()
	request := []byte(fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer key\r\n"+
		"User-Agent: bench\r\nAccept: */*\r\nContent-Length: 2048\r\n\r\n%s", addr, strings.Repeat("x", 2<<10)))
	buf := make([]byte, 16<<10)
	for pb.Next() {
		if _, err := conn.Write(request); err != nil {
			b.Error(err)
			return
		}
		for n := 0; ; {
			more, err := conn.Read(buf[n:])
			if err != nil {
				b.Error(err)
				return
			}
			n += more
			if head := bytes.Index(buf[:n], []byte("\r\n\r\n")); head >= 0 && n == head+4+1<<10 {
				break
			}
		}
	}
}

// cpuTime returns the CPU time of the process in microseconds.
func cpuTime(b *testing.B) int64 {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Sec*1e6 + u.Utime.Usec + u.Stime.Sec*1e6 + u.Stime.Usec
}
