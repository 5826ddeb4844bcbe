package dashboard_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// fakeProxy records the requests that the dashboard relays, and responds as respond says.
type fakeProxy struct {
	url     string
	mu      sync.Mutex
	got     []*http.Request
	bodies  []string
	respond http.HandlerFunc
}

func newFakeProxy(t *testing.T) *fakeProxy {
	p := &fakeProxy{respond: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"x"}`)
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		p.got, p.bodies = append(p.got, r), append(p.bodies, string(body))
		respond := p.respond
		p.mu.Unlock()
		respond(w, r)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *fakeProxy) responds(f http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.respond = f
}

func (a *accounts) IssuePlaygroundKey(_ context.Context, r *keyauthv1.IssuePlaygroundKeyRequest) (*keyauthv1.IssuePlaygroundKeyResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.issued++
	return &keyauthv1.IssuePlaygroundKeyResponse{
		KeyId: "key_play", Secret: fmt.Sprintf("secret %d of %s", a.issued, r.GetActor().GetUserId()),
		RefreshAt: timestamppb.New(time.Now().Add(a.keyAge)),
	}, nil
}

const runBody = `{"body":{"model":"auto",  "messages":[{"role":"user","content":"hi"}]}}`

func TestARunIsRelayedWithTheKeyOfTheUser(t *testing.T) {
	h := newTestEnv(t, "")
	h.accounts.keyAge = time.Hour
	h.proxy.responds(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range map[string]string{
			"Content-Type": "application/json", "X-Request-Id": "run-1", "X-Signalbox-Model": "small", "Set-Cookie": "a=b", "X-Error-Code": "MODEL_NOT_FOUND",
		} {
			w.Header().Set(name, value)
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"no","code":"MODEL_NOT_FOUND","details":{}}`)
	})
	b, _ := h.registerUser("a@example.com")
	for range 2 {
		a := b.api("POST", "/playground", runBody)
		require.Equal(t, http.StatusNotFound, a.status)
		require.JSONEq(t, `{"error":"no","code":"MODEL_NOT_FOUND","details":{}}`, a.body)
		require.Equal(t, []string{"run-1"}, a.header.Values("X-Request-Id"), "the id of the record")
		require.Equal(t, "small", a.header.Get("X-Signalbox-Model"))
		require.Empty(t, a.header.Get("Set-Cookie"))
		require.NotContains(t, fmt.Sprint(a.header), "secret")
	}
	got := h.proxy.got[1]
	require.Equal(t, "/proxy/v1/chat/completions", got.URL.Path)
	require.Equal(t, "Bearer secret 1 of usr_1", got.Header.Get("Authorization"), "the key is reused")
	require.Equal(t, "signalbox-playground", got.UserAgent())
	require.Empty(t, got.Header.Get("Cookie"))
	require.Equal(t, `{"model":"auto",  "messages":[{"role":"user","content":"hi"}]}`, h.proxy.bodies[1], "byte for byte")

	b.api("POST", "/playground", `{"endpoint":"messages","body":{}}`)
	require.Equal(t, "/proxy/v1/messages", h.proxy.got[2].URL.Path)
	for body, param := range map[string]string{`{"endpoint":"x","body":{}}`: "endpoint", `{}`: "body", `{"body":[]}`: "body"} {
		require.Equal(t, param, b.api("POST", "/playground", body).requireError(t, 400, "INVALID_REQUEST")["param"])
	}
	require.Len(t, h.proxy.got, 3)
}

func TestARejectedPlaygroundKeyIsReplacedOnce(t *testing.T) {
	h := newTestEnv(t, "")
	h.accounts.keyAge = time.Hour
	reject := func(w http.ResponseWriter) {
		w.Header().Set("X-Error-Code", string(apperr.AuthInvalidKey))
		w.WriteHeader(http.StatusUnauthorized)
	}
	h.proxy.responds(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), "secret 1 ") {
			reject(w)
		}
	})
	b, _ := h.registerUser("a@example.com")
	require.Equal(t, 200, b.api("POST", "/playground", runBody).status)
	require.Len(t, h.proxy.got, 2)
	h.proxy.responds(func(w http.ResponseWriter, _ *http.Request) { reject(w) })
	require.Equal(t, 401, b.api("POST", "/playground", runBody).status)
	require.Len(t, h.proxy.got, 4, "no endless attempts")
}

func TestAnOldPlaygroundKeyIsNotUsed(t *testing.T) {
	h := newTestEnv(t, "")
	h.accounts.keyAge = -time.Second
	b, _ := h.registerUser("a@example.com")
	b.api("POST", "/playground", runBody)
	b.api("POST", "/playground", runBody)
	require.Equal(t, "Bearer secret 2 of usr_1", h.proxy.got[1].Header.Get("Authorization"))
}

func TestViewersCannotUseThePlayground(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	h.accounts.mu.Lock()
	h.accounts.people["a@example.com"].identity.User.Role = keyauthv1.Role_ROLE_VIEWER
	h.accounts.mu.Unlock()
	b.api("POST", "/playground", runBody).requireError(t, 403, "AUTH_FORBIDDEN")
	b.api("POST", "/playground/estimate", `{}`).requireError(t, 403, "AUTH_FORBIDDEN")
	require.Empty(t, h.proxy.got)
}

// openRun starts a run and returns its response as soon as the headers are there.
func (b *browser) openRun(ctx context.Context) *http.Response {
	r, err := http.NewRequestWithContext(ctx, "POST", b.h.url+"/api/v1/playground", strings.NewReader(runBody))
	require.NoError(b.h.t, err)
	r.Header.Set("Content-Type", "application/json")
	res, err := b.http.Do(r)
	require.NoError(b.h.t, err)
	b.h.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestRunsAreStreamedAndCancelled(t *testing.T) {
	h := newTestEnv(t, "")
	h.accounts.keyAge = time.Hour
	cancelled, next := make(chan struct{}, 100), make(chan struct{})
	h.proxy.responds(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		if strings.Contains(r.Header.Get("Authorization"), "usr_2") {
			<-next
			_, _ = io.WriteString(w, "data: 2\n\n")
			return
		}
		<-r.Context().Done()
		cancelled <- struct{}{}
	})
	b, _ := h.registerUser("a@example.com")
	ctx, leave := context.WithCancel(t.Context())
	var last *http.Response
	for range 8 {
		last = b.openRun(ctx)
		line, err := bufio.NewReader(last.Body).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "data: 1\n", line, "a part arrives before the response ends")
	}
	b.api("POST", "/playground", runBody).requireError(t, 429, "CONCURRENCY_LIMIT_EXCEEDED")
	other, _ := h.registerUser("other@example.com")
	res := other.openRun(t.Context())
	close(next)
	rest, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "data: 1\n\ndata: 2\n\n", string(rest), "another account has its own slots")
	leave()
	for range 8 {
		<-cancelled
	}
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		return b.openRun(ctx).StatusCode == 200
	}, 20*time.Second, 5*time.Millisecond, "the slots are free again")
}

func TestABrokenResponseIsNotComplete(t *testing.T) {
	h := newTestEnv(t, "")
	h.accounts.keyAge = time.Hour
	h.proxy.responds(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	b, _ := h.registerUser("a@example.com")
	_, err := io.ReadAll(b.openRun(t.Context()).Body)
	require.Error(t, err)
}

func TestAnUnreachableProxyIsReported(t *testing.T) {
	h := newTestEnv(t, "")
	h.accounts.keyAge = time.Hour
	h.proxy.responds(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	b, _ := h.registerUser("a@example.com")
	b.api("POST", "/playground", runBody).requireError(t, 503, "ROUTING_UNAVAILABLE")
}

func TestRunsAreEstimated(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	a := b.api("POST", "/playground/estimate", `{"models":["auto","small"],"body":{"messages":[{"role":"user","content":"hi"}],"model":"x","caller":5}}`)
	require.Equal(t, 200, a.status, a.body)
	require.Len(t, a.json(t)["items"], 2)
	q := h.policies.explained
	require.Len(t, q, 2)
	require.Equal(t, "small", q[1].GetModel())
	require.Equal(t, account, q[1].GetCaller().GetAccountId())
	require.Equal(t, []string{"playground"}, q[1].GetCaller().GetTags(), "the caller is never that of the body")
	for body, param := range map[string]string{
		`{"body":{"messages":[]}}`: "models", `{"models":["a","b","c","d","e"],"body":{"messages":[]}}`: "models",
		`{"models":["a"]}`: "body", `{"models":["a"],"body":{"input":"x"}}`: "body", `{"models":["a"],"body":{"messages":"x"}}`: "body",
	} {
		require.Equal(t, param, b.api("POST", "/playground/estimate", body).requireError(t, 400, "INVALID_REQUEST")["param"], body)
	}
	large := `{"models":["a"],"body":{"messages":[{"role":"user","content":"` + strings.Repeat("x", 15<<20) + `"}]}}`
	b.api("POST", "/playground/estimate", large).requireError(t, 413, "REQUEST_TOO_LARGE")
}
