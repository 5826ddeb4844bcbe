package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/services/proxy"
)

// W-17: a rejected client need not send its body.
func TestWireBadKeyIsRefusedBeforeTheBody(t *testing.T) {
	w := newWire(t)
	conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(conn, "POST "+chatPath+" HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer sk-wrong\r\n"+
		"Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusUnauthorized, res.StatusCode)
	require.Equal(t, "AUTH_INVALID_KEY", res.Header.Get("X-Error-Code"))
}

func TestWireBodyOverTheLimit(t *testing.T) {
	w := newWire(t, func(c *proxy.Config) { c.MaxBody = 4 << 10 })
	big := plain(`,"x":"` + strings.Repeat("x", 8<<10) + `"`)
	for name, body := range map[string]io.Reader{
		"W-18 with a length":    strings.NewReader(big),
		"W-18 without a length": struct{ io.Reader }{strings.NewReader(big)},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+chatPath, body)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+w.key)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err, name)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode, name)
		require.Equal(t, "REQUEST_TOO_LARGE", res.Header.Get("X-Error-Code"))
		require.Contains(t, string(text), `"limit_bytes":4096`)
		require.Equal(t, "REQUEST_TOO_LARGE", w.record().GetCode())
	}
	require.Empty(t, w.up.Received())
}

// W-35: a silent upstream must not look like a dead gateway.
func TestWireKeepAlive(t *testing.T) {
	w := newWire(t, func(c *proxy.Config) { c.KeepAliveAfter, c.KeepAliveEvery = time.Millisecond, time.Millisecond })
	for _, before := range []string{"", delta(`{"role":"assistant","content":"a"}`, "null")} {
		a := scripted.Response{Ending: scripted.Hang}
		if before != "" {
			a = scripted.Events(chunk(`{"role":"assistant","content":"a"}`, "null")).First(1, scripted.Hang)
		}
		w.up.Script(a)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+chatPath, strings.NewReader(stream("")))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+w.key)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		lines := bufio.NewReader(res.Body)
		got := ""
		for count := 0; count < 3; {
			line, err := lines.ReadString('\n')
			require.NoError(t, err)
			got += line
			// Keep-alives also come before the first event. Only those behind it count.
			if line == ": keepalive\n" && (before == "" || strings.Contains(got, "\n\n")) {
				count++
			}
		}
		<-w.up.HungCalls() // the keep-alives start before the upstream is called
		require.NoError(t, res.Body.Close())
		got = createdNow.ReplaceAllString(strings.ReplaceAll(got, res.Header.Get("X-Request-Id"), "ID"), `"created":1`)
		require.Equal(t, before, strings.ReplaceAll(got, ": keepalive\n", ""), "no blank line, no other field")
		require.Equal(t, "text/event-stream; charset=utf-8", res.Header.Get("Content-Type"))
		if before == "" {
			require.Empty(t, res.Header.Get("X-Signalbox-Model"), "no candidate has responded yet")
		}
		w.up.AwaitDisconnect(t)
		require.Equal(t, "CLIENT_CANCELLED", w.record().GetCode())
	}
}

// Every deviation can be tried without a vendor: the sandbox sends raw bytes, and they are parsed like
// those of an upstream.
func TestSandboxPlaysRawAnswers(t *testing.T) {
	g := newRig(t, nil)
	ask := func(raw string) (int, string) {
		res, body := g.call(http.MethodPost, chatPath, `{"model":"sandbox-small","stream":true,`+userHi+`,"x_sandbox":{"raw":`+raw+`}}`)
		g.record()
		return res.StatusCode, body
	}
	const events = `{"headers":{"Content-Type":"text/event-stream"},"pieces":["data: {\"choices\":[{\"delta\":","{\"content\":\"a\"}}]}\r\n\r\n"]`
	status, body := ask(events + `}`)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"delta":{"role":"assistant","content":""}`)
	require.Contains(t, body, `"delta":{"content":"a"}`)
	require.Contains(t, body, "PROVIDER_STREAM_INTERRUPTED")
	_, body = ask(events + `,"end":"reset"}`)
	require.Contains(t, body, `"reason":"PROVIDER_CONNECTION_ERROR"`)
	status, body = ask(`{"status":418,"pieces":["<html>"]}`)
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, body, "PROVIDER_MODEL_UNAVAILABLE")
}
