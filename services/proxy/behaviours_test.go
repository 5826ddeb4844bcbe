package proxy_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// The tests named TestBehaviour cover features that users of other gateways missed. This file has
// those that a client or a record of the proxy can show. The others are in the packages they are
// about, under the same names.

// Before the first content, a failing stream moves on to another provider. After it, the client gets
// an error in the stream, and the record has the estimated cost.
func TestBehaviour01StreamsFailOverUntilTheirFirstContent(t *testing.T) {
	w, spare := newPair(t, "20s")
	role, one := chunk(`{"role":"assistant","content":""}`, "null"), chunk(`{"content":"one"}`, "null")
	w.up.Script(scripted.Events(role).First(1, scripted.Reset))
	w.ask(chatPath, stream("")).fellBack(t)
	require.Len(t, spare.Received(), 1)

	w.up.Script(scripted.Events(role, one).First(2, scripted.Reset))
	a := w.ask(chatPath, stream(""))
	a.broken(t, delta(`{"role":"assistant","content":""}`, "null")+delta(`{"content":"one"}`, "null"))
	require.Equal(t, recordv1.CostBasis_COST_BASIS_ESTIMATED, a.record.GetCostBasis())
	require.Equal(t, []string{"up PROVIDER_STREAM_INTERRUPTED"}, a.attempts())
	require.Len(t, spare.Received(), 1, "no other upstream is called")
}

const twoKeys = `version: 1
providers:
  up: {kind: openai, base_url: %s/v1, allow_private: true, keys: [{ref: "file:%s"}, {ref: "file:%s"}]}
  spare: {kind: openai, base_url: %s/v1, allow_private: true}
models:
  small: {endpoints: [{provider: up, model: up-small}, {provider: spare, model: spare-small}], context: 1000000}
defaults: {retries: {max: 9}}
`

// However many retries are allowed, a request never calls a failing candidate again with the
// same key.
func TestBehaviour03ARetryNeverReusesWhatHasFailed(t *testing.T) {
	up, spare := scriptedtest.New(t, scriptedtest.OpenAI), scriptedtest.New(t, scriptedtest.OpenAI)
	dir := t.TempDir()
	var files []any
	for _, name := range []string{"first", "second"} {
		files = append(files, filepath.Join(dir, name))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("secret-of-the-"+name), 0o600))
	}
	w := &wire{rig: newRigOf(t, fmt.Sprintf(twoKeys, up.URL, files[0], files[1], spare.URL)), up: up}
	up.Script(scripted.JSON(401, `{}`), scripted.JSON(401, `{}`))
	spare.Script(scripted.JSON(500, `{}`))
	a := w.ask(chatPath, plain(""))
	a.refused(t, http.StatusBadGateway, "PROVIDER_UPSTREAM_ERROR")
	require.Equal(t, []string{"up PROVIDER_AUTH_ERROR", "up PROVIDER_AUTH_ERROR", "spare PROVIDER_UPSTREAM_ERROR"}, a.attempts())
	require.Len(t, spare.Received(), 1)
	used := map[string]bool{}
	for _, r := range up.Received() {
		used[r.Header.Get("Authorization")] = true
	}
	require.Len(t, up.Received(), 2)
	require.Len(t, used, 2, "each key once")
}

// A mistake of the caller does not count against the provider, however often it happens. A 404 may
// be the fault of either, and counts only if the provider never responds otherwise.
func TestBehaviour04CallersMistakesOpenNoBreaker(t *testing.T) {
	w, spare := newPair(t, "20s")
	for _, status := range []int{400, 422, 413, 400, 422, 413} {
		w.up.Script(scripted.JSON(status, `{"error":{"message":"messages[0] is odd","type":"invalid_request_error"}}`))
		a := w.ask(chatPath, plain(""))
		require.GreaterOrEqual(t, a.status, 400)
		require.Less(t, a.status, 500)
	}
	require.Empty(t, spare.Received())
	for range 6 {
		w.up.Script(scripted.JSON(404, `{"error":{"message":"no such file"}}`), scriptedtest.OpenAI(scriptedtest.Received{Body: []byte(`{}`)}))
		w.ask(chatPath, plain("")).fellBack(t)
		a := w.ask(chatPath, plain(""))
		require.Equal(t, []string{"up"}, a.attempts())
	}
	w.up.Script(scripted.JSON(500, `{}`), scripted.JSON(500, `{}`), scripted.JSON(500, `{}`))
	for range 3 {
		w.ask(chatPath, plain("")).fellBack(t)
	}
	require.Equal(t, []string{"up BREAKER_OPEN", "spare"}, w.ask(chatPath, plain("")).attempts(), "its own do")
}
