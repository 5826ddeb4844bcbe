package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
)

// firstContentMark occurs only in the text of the model, in no id and no name.
const firstContentMark = "~"

// firstContentBodies are requests for a text of several events, by the protocol of the client.
var firstContentBodies = map[string]string{
	"chat":      `{"model":"auto","messages":[{"role":"user","content":"[[emulate:say=~ one two three four five six seven eight nine ten eleven twelve]]"}]}`,
	"messages":  `{"model":"auto","max_tokens":100,"messages":[{"role":"user","content":"[[emulate:say=~ one two three four five six seven eight nine ten eleven twelve]]"}]}`,
	"responses": `{"model":"auto","store":false,"input":"[[emulate:say=~ one two three four five six seven eight nine ten eleven twelve]]"}`,
	"gemini":    `{"contents":[{"role":"user","parts":[{"text":"[[emulate:say=~ one two three four five six seven eight nine ten eleven twelve]]"}]}]}`,
}

// pausingWriter passes a response on until the first content has been flushed. Then it waits until
// the client has received that content.
type pausingWriter struct {
	http.ResponseWriter
	ctx      context.Context
	received <-chan struct{}
	// content means that the first content was written. paused means that it was flushed.
	content, paused bool
}

func (w *pausingWriter) Write(b []byte) (int, error) {
	w.content = w.content || strings.Contains(string(b), firstContentMark)
	return w.ResponseWriter.Write(b)
}

func (w *pausingWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	if !w.content || w.paused {
		return
	}
	w.paused = true
	select {
	case <-w.received:
	case <-w.ctx.Done():
	}
}

// The first content reaches the client before the upstream sends anything else, for every protocol
// of clients and of upstreams.
func TestFirstContentDoesNotWait(t *testing.T) {
	for _, u := range pairUpstreams {
		g := newPairRig(t, u)
		edge := httptest.NewServer(api.New(g.deps))
		t.Cleanup(edge.Close)
		for i := range pairClients {
			c := &pairClients[i]
			t.Run(c.name+" to "+u.name, func(t *testing.T) { g.checkFirstContent(t, c, edge.URL) })
		}
	}
}

func (g *pairRig) checkFirstContent(t *testing.T, c *pairClient, edge string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	received := make(chan struct{})
	paused := make(chan bool, 1)
	g.restart()
	g.wrap(func(w http.ResponseWriter, r *http.Request, vendor *emulate.Server) {
		p := &pausingWriter{ResponseWriter: w, ctx: ctx, received: received}
		vendor.ServeHTTP(p, r)
		paused <- p.paused
	})
	path, body := c.request(firstContentBodies[c.name], true)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, edge+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+testKey)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Contains(t, readUntil(t, res.Body, firstContentMark), firstContentMark)
	close(received)
	rest, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.True(t, <-paused, "the upstream must have waited after the first content")
	require.Contains(t, string(rest), "twelve")
}

// readUntil reads until the text contains mark.
func readUntil(t *testing.T, r io.Reader, mark string) string {
	t.Helper()
	var text strings.Builder
	for buf := make([]byte, 4<<10); !strings.Contains(text.String(), mark); {
		n, err := r.Read(buf)
		text.Write(buf[:n])
		require.NoError(t, err, text.String())
	}
	return text.String()
}
