package egress

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkTransports sends the same request over this package and over net/http: 2 KB of
// chat, 1 KB of response, over connections that are kept open. cpu-us/op is the CPU time of
// the whole process, so it contains the same upstream twice. The difference is what this
// package saves per request.
func BenchmarkTransports(b *testing.B) {
	for _, tt := range []struct {
		name   string
		caller Caller
	}{
		{"egress", New(Config{AllowPrivate: true})},
		{"net-http", WrapTransport(&http.Transport{MaxIdleConnsPerHost: maxIdle, DisableCompression: true})},
	} {
		b.Run(tt.name, func(b *testing.B) {
			post := Post{
				To: NewAddress(serveFixedResponse(b)), Pieces: [][]byte{bytes.Repeat([]byte("x"), 2<<10)},
				With: NewFields(http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer key"}}, "X-Request-Id"),
			}
			from := cpuTime(b)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					res, err := tt.caller.Call(b.Context(), post)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			})
			b.ReportMetric(float64(cpuTime(b)-from)/float64(b.N), "cpu-us/op")
		})
	}
}

// cpuTime returns the CPU time of the process in microseconds.
func cpuTime(b *testing.B) int64 {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Sec*1e6 + u.Utime.Usec + u.Stime.Sec*1e6 + u.Stime.Usec
}

// serveFixedResponse starts an upstream that costs little: it parses nothing but the end of
// the request.
func serveFixedResponse(b *testing.B) *url.URL {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { _ = l.Close() })
	response := append([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-Id: 1\r\nContent-Length: 1024\r\n\r\n"), bytes.Repeat([]byte("y"), 1<<10)...)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go respondToEachRequest(c, 2<<10, response)
		}
	}()
	return &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/v1/chat/completions"}
}

func respondToEachRequest(c net.Conn, bodySize int, response []byte) {
	defer func() { _ = c.Close() }()
	buf := make([]byte, 16<<10)
	for n := 0; ; {
		more, err := c.Read(buf[n:])
		if err != nil {
			return
		}
		n += more
		if head := bytes.Index(buf[:n], []byte("\r\n\r\n")); head < 0 || n < head+4+bodySize {
			continue
		}
		n = 0
		if _, err := c.Write(response); err != nil {
			return
		}
	}
}
