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
	"github.com/signalbox/signalbox/pkg/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// patience is how long anything may take that is not broken.
const patience = 10 * time.Second

// line is an adapter and its vendor, with an ear in between.
type line struct {
	url      string
	server   *httptest.Server
	vendor   *emulate.Server
	chatter  provider.Chatter
	embedder provider.Embedder
	// arrived and left have one for each call that came and went.
	arrived, left chan struct{}

	mu   sync.Mutex
	sent []sent
}

// sent is a call as it reached the vendor.
type sent struct{ path, body string }

func newLine(t *testing.T, vendor *emulate.Server) *line {
	t.Helper()
	l := &line{vendor: vendor, arrived: make(chan struct{}, 16), left: make(chan struct{}, 16)}
	l.server = httptest.NewServer(l)
	t.Cleanup(l.server.Close)
	l.url = l.server.URL
	return l
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	l.mu.Lock()
	l.sent = append(l.sent, sent{r.URL.RequestURI(), string(body)})
	l.mu.Unlock()
	l.arrived <- struct{}{}
	l.vendor.ServeHTTP(w, r)
	l.left <- struct{}{}
}

// heard is what came after the first n calls.
func (l *line) heard(n int) []sent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent[n:]
}

var errLeft = errors.New("the client left")

// ask sends one request and takes the answer to its end. A client whose vendor
// falls silent leaves: before the answer, or once a stream has begun.
func (l *line) ask(t *testing.T, s Subject, body string, stream bool) *exchange {
	t.Helper()
	c := conversation{body: body}
	before := len(l.heard(0))
	x := &exchange{embeds: c.embeds(), leaves: c.has("hang") || c.has("stall")}
	x.parse(t, inForm(body, stream))
	ctx, leave := context.WithCancelCause(t.Context())
	defer leave(nil)
	if x.leaves && (!stream || !c.has("stall")) {
		go func() {
			select {
			case <-l.arrived:
				leave(errLeft)
			case <-ctx.Done():
			}
		}()
	} else if x.leaves {
		x.begun = func() { leave(errLeft) }
	}
	// Whoever does not leave is thrown out.
	end := time.AfterFunc(patience, l.server.CloseClientConnections)
	x.run(ctx, l, s.place(x.embeds))
	require.True(t, end.Stop(), "the adapter waits for a vendor that says nothing")
	x.sent, x.book = l.heard(before), l.vendor.Book()[before:]
	if x.leaves {
		l.requireLeft(t, x)
	}
	return x
}

// requireLeft makes sure that the vendor is not kept working for nobody.
func (l *line) requireLeft(t *testing.T, x *exchange) {
	t.Helper()
	require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(x.err))
	require.ErrorIs(t, x.err, errLeft)
	select {
	case <-l.left:
	case <-time.After(patience):
		t.Fatal("the vendor was not told that the client has left")
	}
	book := l.vendor.Book()
	require.True(t, book[len(book)-1].Left)
}

func (x *exchange) parse(t *testing.T, body string) {
	t.Helper()
	parse := openai.ParseChat
	if x.embeds {
		parse = openai.ParseEmbeddings
	}
	var err error
	x.request, err = parse([]byte(body))
	require.NoError(t, err)
}
