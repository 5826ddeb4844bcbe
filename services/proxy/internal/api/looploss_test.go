package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
)

// mortalVendor is an emulated vendor that can die. It rejects an invalid history.
type mortalVendor struct {
	*emulate.Server
	url    string
	isDead atomic.Bool
}

func startMortal(t *testing.T, u pairUpstream) *mortalVendor {
	t.Helper()
	v := &mortalVendor{Server: u.start(emulate.Options{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v.isDead.Load() {
			panic(http.ErrAbortHandler) // closes the connection
		}
		v.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	v.url = server.URL
	return v
}

func (u *pairUpstream) provide(v *mortalVendor) string {
	return fmt.Sprintf(`  %s: {base_url: "%s%s", allow_private: true, keys: [{ref: env:KEY}]%s}`+"\n", u.provider, v.url, u.base, u.settings)
}

// newMortalRig has an edge whose route prefers the first of two vendors.
func newMortalRig(t *testing.T, first, second pairUpstream) (g *vendors, preferred *mortalVendor) {
	t.Helper()
	preferred = startMortal(t, first)
	document := "version: 1\nproviders:\n" + first.provide(preferred) + second.provide(startMortal(t, second)) + fmt.Sprintf(`models: {%[1]s: {}, %[2]s: {}}
defaults: {baseline: %[1]s, unlisted: deny, retries: {max: 2, on: [connect, server_error]}}
routes: {auto: {issuer_state: strip, select: [{candidates: [%[1]s, %[2]s]}]}}
`, first.model, second.model)
	g = &vendors{rig: newRigOf(t, document)}
	g.start(t)
	return g, preferred
}

// writtenTurns returns the requests of a conversation in testdata by client.
func writtenTurns(t *testing.T, name string) map[string][]string {
	t.Helper()
	content, err := os.ReadFile("testdata/pairs/" + name + ".txt")
	require.NoError(t, err)
	sections, err := golden.ParseSections(string(content))
	require.NoError(t, err)
	_, turns := splitWritten(sections)
	return turns
}

// When the model of an open tool loop dies, a model of another vendor continues with the history,
// also if the history has reasoning that only the first vendor can read. The other vendor accepts
// the history. The loop then stays there, also when the first model is up again.
func TestALoopGoesOnWhenItsModelDies(t *testing.T) {
	conversations := map[string]map[string][]string{}
	for _, name := range []string{"tools", "parallel-tools", "thinking"} {
		conversations[name] = writtenTurns(t, name)
	}
	for _, first := range pairUpstreams {
		for _, second := range pairUpstreams {
			if first.provider == second.provider {
				continue
			}
			g, preferred := newMortalRig(t, first, second)
			for i := range pairClients {
				for name, turns := range conversations {
					c := &pairClients[i]
					id := strings.Join([]string{c.name, first.name, second.name, name}, "-")
					t.Run(id, func(t *testing.T) { loseModel(t, g, preferred, c, turns[c.name], id, first.provider, second.provider) })
				}
			}
		}
	}
}

func loseModel(t *testing.T, g *vendors, preferred *mortalVendor, c *pairClient, turns []string, id, first, second string) {
	t.Helper()
	ask := func(body string) (provider, text string) {
		res, text := g.send(t, http.MethodPost, c.path, body, testKey, "X-Signalbox-Session: "+id)
		require.Equal(t, http.StatusOK, res.StatusCode, "%s: %s", id, text)
		return res.Header.Get("X-Signalbox-Provider"), text
	}
	served, reply := ask(turns[0])
	require.Equal(t, first, served)
	next := c.fill(t, turns[1], reply)
	served, _ = ask(next)
	require.Equal(t, first, served, id)

	preferred.isDead.Store(true)
	defer preferred.isDead.Store(false)
	served, _ = ask(next)
	require.Equal(t, second, served, id)
	preferred.isDead.Store(false)
	served, _ = ask(next)
	require.Equal(t, second, served, id)
	require.Equal(t, decide.ReasonToolLoop, g.records[len(g.records)-1].Decision.Reason.Code)
}
