package conversationtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// patience is the timeout of every wait in the suite.
const patience = 10 * time.Second

// rig is an adapter and its vendor, with a server between the two that records all calls.
type rig struct {
	url           string
	server        *httptest.Server
	vendor        *emulate.Server
	chatCompleter provider.ChatCompleter
	embedder      provider.Embedder
	// started receives one value for each call that started. ended receives one value for
	// each call that ended.
	started, ended chan struct{}

	mu   sync.Mutex
	sent []sent
}

// sent is a call as the vendor received it.
type sent struct{ path, body string }

func newRig(t *testing.T, vendor *emulate.Server) *rig {
	t.Helper()
	l := &rig{vendor: vendor, started: make(chan struct{}, 16), ended: make(chan struct{}, 16)}
	l.server = httptest.NewServer(l)
	t.Cleanup(l.server.Close)
	l.url = l.server.URL
	return l
}

func (l *rig) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	l.mu.Lock()
	l.sent = append(l.sent, sent{r.URL.RequestURI(), string(body)})
	l.mu.Unlock()
	l.started <- struct{}{}
	l.vendor.ServeHTTP(w, r)
	l.ended <- struct{}{}
}

// callsSince returns the calls after the first n.
func (l *rig) callsSince(n int) []sent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent[n:]
}

var errClientCancelled = errors.New("the client cancelled")

// send sends one request and reads the response to its end. If the conversation makes the
// vendor stall, the client cancels: before the response, or once a stream has started.
func (l *rig) send(t *testing.T, s Subject, body string, stream bool) *exchange {
	t.Helper()
	c := conversation{body: body}
	before := len(l.callsSince(0))
	x := &exchange{isEmbedding: c.isEmbedding(), cancels: c.hasDirective("hang") || c.hasDirective("stall")}
	x.parseRequest(t, withStream(body, stream))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if x.cancels && (!stream || !c.hasDirective("stall")) {
		go func() {
			select {
			case <-l.started:
				cancel(errClientCancelled)
			case <-ctx.Done():
			}
		}()
	} else if x.cancels {
		x.onFirstContent = func() { cancel(errClientCancelled) }
	}
	// Close the connection if the adapter waits forever.
	timer := time.AfterFunc(patience, l.server.CloseClientConnections)
	x.run(ctx, l, s.endpoint(x.isEmbedding))
	require.True(t, timer.Stop(), "the adapter waits for a vendor that does not respond")
	x.sent, x.vendorCalls = l.callsSince(before), l.vendor.Calls()[before:]
	if x.cancels {
		l.requireCancelled(t, x)
	}
	return x
}

// requireCancelled checks that the cancellation reached the vendor.
func (l *rig) requireCancelled(t *testing.T, x *exchange) {
	t.Helper()
	require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(x.err))
	require.ErrorIs(t, x.err, errClientCancelled)
	select {
	case <-l.ended:
	case <-time.After(patience):
		t.Fatal("the vendor was not informed that the client cancelled")
	}
	book := l.vendor.Calls()
	require.True(t, book[len(book)-1].Disconnected)
}

func (x *exchange) parseRequest(t *testing.T, body string) {
	t.Helper()
	parse := requestbody.ParseChat
	if x.isEmbedding {
		parse = requestbody.ParseEmbeddings
	}
	var err error
	x.request, err = parse([]byte(body))
	require.NoError(t, err)
}
