package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

// storePolicy has two providers that store responses. next has the same credential as open.
const storePolicy = `
version: 1
providers:
  open: {kind: openai, base_url: "%s/v1", allow_private: true, keys: [%s], timeouts: {first_token: %s}, wire: {http: {responses_path: /responses}}}
  next: {kind: openai, base_url: "%s/v1", allow_private: true, keys: [{ref: env:ONE}], wire: {http: {responses_path: /responses}}}
  chat: {kind: openai, base_url: "%s/v1", allow_private: true, keys: [{ref: env:ONE}]}
models:
  gpt: {endpoints: [{provider: open, model: gpt-5}, {provider: next, model: gpt-5}], context: 200000}
  only-next: {endpoints: [{provider: next, model: gpt-5}], context: 200000}
  plain: {endpoints: [{provider: chat, model: gpt-5}], context: 200000}
defaults: {baseline: gpt, unlisted: deny, retries: {max: 2}}
routes: {auto: {select: [{candidates: [gpt, plain]}]}}
`

const bothKeys = "{ref: env:ONE}, {ref: env:TWO}"

// The keys of two accounts.
const (
	ann = "x-api-key: sbx_ann"
	bob = "x-api-key: sbx_bob"
)

// storeRig is an edge with two emulated vendors that store responses.
type storeRig struct {
	*vendors
	open, next *emulate.Server
	// firstToken is the timeout of the provider open.
	firstToken string
	// drops is how many calls to open find their connection closed.
	drops atomic.Int32
	// keysAtOpen are the credentials of all calls to open.
	mu         sync.Mutex
	keysAtOpen []string
}

func newStoreRig(t *testing.T, keys string) *storeRig {
	t.Helper()
	s := &storeRig{firstToken: "30s", open: emulate.ResponseStore(emulate.Options{}), next: emulate.ResponseStore(emulate.Options{})}
	s.restart(t, keys)
	return s
}

// restart starts another proxy with the given keys at the same vendors.
func (s *storeRig) restart(t *testing.T, keys string) {
	t.Helper()
	serve := func(h http.Handler) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	open := serve(http.HandlerFunc(s.serveOpen))
	s.vendors = &vendors{rig: newRigOf(t, fmt.Sprintf(storePolicy, open, keys, s.firstToken, serve(s.next), open))}
	s.accounts = map[string]string{"sbx_ann": "acc_a", "sbx_bob": "acc_b"}
}

func (s *storeRig) serveOpen(w http.ResponseWriter, r *http.Request) {
	if s.drops.Add(-1) >= 0 {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
		return
	}
	s.mu.Lock()
	s.keysAtOpen = append(s.keysAtOpen, r.Header.Get("Authorization"))
	s.mu.Unlock()
	s.open.ServeHTTP(w, r)
}

// response is the part of a response that these tests read.
type response struct {
	ID       string `json:"id"`
	Previous string `json:"previous_response_id"`
	Store    bool   `json:"store"`
	Deleted  bool   `json:"deleted"`
	Output   []struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"output"`
	Data  []any  `json:"data"`
	Code  string `json:"code"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	Details map[string]any `json:"details"`
}

func (r *response) text() string {
	if len(r.Output) == 0 || len(r.Output[0].Content) == 0 {
		return ""
	}
	return r.Output[0].Content[0].Text
}

// create sends a request with more members, and returns the response.
func (s *storeRig) create(t *testing.T, key, model, more string) (int, response) {
	t.Helper()
	return s.call(t, key, http.MethodPost, "", `{"model":"`+model+`",`+more+`}`)
}

// call sends a request below /responses.
func (s *storeRig) call(t *testing.T, key, method, path, body string) (int, response) {
	t.Helper()
	res, text := s.send(t, method, "/proxy/v1/responses"+path, body, key)
	var r response
	require.NoError(t, json.Unmarshal([]byte(text), &r), text)
	return res.StatusCode, r
}

// mustCreate creates a response that is stored at the provider open.
func (s *storeRig) mustCreate(t *testing.T, key, input string) response {
	t.Helper()
	status, r := s.create(t, key, "gpt", `"input":"`+input+`"`)
	require.Equal(t, http.StatusOK, status, r)
	require.Greater(t, len(r.ID), 60, "a wrapper")
	return r
}

func continueFrom(id string) string { return `"input":"two","previous_response_id":"` + id + `"` }

// requireNotFound checks every call with an id that the account cannot use, and that no vendor was
// called.
func (s *storeRig) requireNotFound(t *testing.T, key, id string) {
	t.Helper()
	before := len(s.open.Calls()) + len(s.next.Calls())
	for _, call := range [][3]string{
		{http.MethodPost, "", `{"model":"gpt",` + continueFrom(id) + `}`},
		{http.MethodPost, "", `{"model":"gpt","stream":true,` + continueFrom(id) + `}`},
		{http.MethodPost, "", `{"model":"plain",` + continueFrom(id) + `}`},
		{http.MethodGet, "/" + id, ""},
		{http.MethodDelete, "/" + id, ""},
		{http.MethodGet, "/" + id + "/input_items", ""},
		{http.MethodPost, "/" + id + "/cancel", ""},
	} {
		status, r := s.call(t, key, call[0], call[1], call[2])
		require.Equal(t, http.StatusNotFound, status, "%s %s", call[0], call[1])
		require.Equal(t, "OBJECT_NOT_FOUND", r.Code)
		require.Contains(t, r.Error.Message, "was not found")
	}
	require.Len(t, append(s.open.Calls(), s.next.Calls()...), before)
}

// rewrap changes the content of a wrapper, but not its MAC.
func rewrap(t *testing.T, id string, change func(raw []byte) []byte) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(id, "resp_"))
	require.NoError(t, err)
	return "resp_" + base64.RawURLEncoding.EncodeToString(change(raw))
}

// upstreamID returns the vendor's id in a wrapper.
func upstreamID(t *testing.T, id string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(id, "resp_"))
	require.NoError(t, err)
	at := strings.Index(string(raw), "resp_")
	require.Positive(t, at)
	return string(raw[at:])
}
