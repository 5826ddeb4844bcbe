package dispatch_test

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
)

// wire is an upstream behind a real connection. It sends the same response to every
// request and allocates nothing, so that the benchmark counts only our allocations.
func wire(tb testing.TB, answer string) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go say(c, []byte(answer))
		}
	}()
	return "http://" + l.Addr().String() + "/v1"
}

// say responds whenever the data read ends like a JSON body.
func say(c net.Conn, answer []byte) {
	defer func() { _ = c.Close() }()
	var buf [4 << 10]byte
	for {
		n, err := c.Read(buf[:])
		if err != nil {
			return
		}
		if buf[n-1] == '}' {
			_, _ = c.Write(answer)
		}
	}
}

// head is the response head of a usual vendor.
const head = "HTTP/1.1 200 OK\r\nDate: Sat, 15 Nov 2025 18:00:00 GMT\r\nContent-Type: application/json\r\n" +
	"Connection: keep-alive\r\nX-Request-Id: req_0123456789abcdef0123456789abcdef\r\n" +
	"Openai-Processing-Ms: 421\r\nX-Ratelimit-Remaining-Requests: 9999\r\nServer: cloudflare\r\n"

// plainAnswer is one kilobyte.
var plainAnswer = `{"id":"chatcmpl-1","object":"chat.completion","created":1760000000,"model":"up-s","choices":[{"index":0,` +
	`"message":{"role":"assistant","content":"` + strings.Repeat("word ", 160) + `"},"logprobs":null,"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":410,"completion_tokens":160,"total_tokens":570}}`

// lone is the adapter of every provider.
type lone struct{ *openaicompat.Provider }

func (l lone) ChatCompleter(string) (provider.ChatCompleter, bool) { return l, true }
func (l lone) Embedder(string) (provider.Embedder, bool)           { return l, true }

// overWire returns a 2 KB chat request to an upstream that sends the given response.
func overWire(tb testing.TB, answer string) dispatch.Job {
	tb.Helper()
	keys, err := keypool.New(keypool.Key{Name: "k", Secret: "sk-0123456789abcdef"})
	require.NoError(tb, err)
	transport := egress.New(egress.Config{AllowPrivate: true})
	tb.Cleanup(transport.CloseIdleConnections)
	p, err := openaicompat.New(openaicompat.Config{
		Name: "one", BaseURL: wire(tb, answer), Keys: keys, Transport: transport, Version: "1.2.3",
	})
	require.NoError(tb, err)
	j := job(tb, `{"model":"small","messages":[{"role":"user","content":"`+strings.Repeat("word ", 400)+`"}]}`, nil)
	j.Plan, j.Providers = []decide.Candidate{small}, lone{p}
	j.Breakers, j.Tokens = breaker.NewSet(), tokens.NewLearner()
	return j
}

func withLength(body string) string {
	return head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

func inChunks(body string) string {
	return head + "Transfer-Encoding: chunked\r\n\r\n" + strconv.FormatInt(int64(len(body)), 16) + "\r\n" + body + "\r\n0\r\n\r\n"
}

// BenchmarkRun measures a plain chat request over a reused connection.
func BenchmarkRun(b *testing.B) {
	for name, answer := range map[string]string{"length": withLength(plainAnswer), "chunked": inChunks(plainAnswer)} {
		b.Run(name, func(b *testing.B) {
			j := overWire(b, answer)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			b.ReportAllocs()
			for b.Loop() {
				j.StartedAt = time.Now()
				if res := dispatch.Run(ctx, j, nil); res.Err != nil {
					b.Fatal(res.Err)
				}
			}
		})
	}
}

// The allocations of a plain chat request are limited. At a few hundred requests per second,
// touching cold memory is what makes requests slow. The limit has a margin for the race
// detector, which drops items from pools.
func TestPlainChatAllocatesLittle(t *testing.T) {
	j := overWire(t, withLength(plainAnswer))
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() {
		if res := dispatch.Run(t.Context(), j, nil); res.Err != nil {
			t.Error(res.Err)
		}
	}), 32.0)
}
