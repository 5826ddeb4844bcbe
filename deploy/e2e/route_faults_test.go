package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// The number of concurrent clients, and how many upstream calls a hundred requests may
// cause.
const (
	faultWorkers = 8
	mostCalls    = 130
)

// providerFault says how a provider responds to its nth call; ok responds normally.
type providerFault struct {
	// timeouts are short only for providers that never respond.
	timeouts string
	answer   func(n int, ok scripted.Response) scripted.Response
	// ends means that the provider becomes unreachable after half of the run.
	ends bool
}

const longTimeouts = "{first_token: 20s, idle: 20s, total: 30s}"

// providerFaults returns the faults that must not fail any request.
func providerFaults() map[string]providerFault {
	role := `{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`
	turns := func(all ...scripted.Response) func(int, scripted.Response) scripted.Response {
		return func(n int, _ scripted.Response) scripted.Response { return all[n%len(all)] }
	}
	reset := scripted.Response{Ending: scripted.Reset}
	return map[string]providerFault{
		"stalls": {"{first_token: 300ms, idle: 300ms, total: 2s}", turns(
			scripted.Response{Ending: scripted.Hang}, scripted.Stream(": wait\n\n").First(1, scripted.Hang),
		), false},
		"resets": {longTimeouts, turns(reset, scripted.Events(role, "").First(1, scripted.Reset)), false},
		"answers garbage": {longTimeouts, turns(
			scripted.Raw("\x00\x01 nothing of HTTP\r\n\r\n"), scripted.JSON(200, `{"choices":[{`), scripted.Stream("data: {\"choi\n\n"),
			scripted.Text(200, "text/html", "<html>"), scripted.Stream(), scripted.Events(`{"error":{"message":"no","code":500}}`),
		), false},
		"flaps": {longTimeouts, func(n int, ok scripted.Response) scripted.Response {
			if n/20%2 == 1 {
				return scripted.JSON(503, `{}`)
			}
			return ok
		}, false},
		"fails now and then": {longTimeouts, func(n int, ok scripted.Response) scripted.Response {
			if n%5 < 2 { // too rare to open a breaker, and as slow as a good response
				return scripted.JSON(500, `{}`).Paced(20 * time.Millisecond)
			}
			return ok
		}, false},
		"dies": {longTimeouts, func(n int, ok scripted.Response) scripted.Response {
			if n >= 100 { // what it has begun it ends, as a stream that breaks off cannot be saved
				return reset
			}
			return ok
		}, true},
	}
}

// start starts a provider with the fault.
func (a providerFault) start(t *testing.T) *scriptedtest.Upstream {
	n := 0
	return scriptedtest.New(t, func(r scriptedtest.Received) scripted.Response {
		n++
		return a.answer(n-1, scriptedtest.OpenAI(r))
	})
}

// TestFaultsOfAProviderCostNoRequest: if one of two providers fails, every client still
// gets a complete response, and few additional upstream calls are made.
func TestFaultsOfAProviderCostNoRequest(t *testing.T) {
	t.Parallel()
	all := providerFaults()
	good, bad := scriptedtest.New(t, scriptedtest.OpenAI), map[string]*scriptedtest.Upstream{}
	providers, models, routes := "", "", ""
	for name, a := range all {
		bad[name] = a.start(t)
		id := strings.ReplaceAll(name, " ", "-")
		providers += fmt.Sprintf("  %s: {kind: openai, base_url: %s/v1, allow_private: true, timeouts: %s}\n", id, bad[name].URL, a.timeouts)
		models += fmt.Sprintf("  model-%s: {endpoints: [{provider: %s, model: m}, {provider: good, model: m}], context: 8192}\n", id, id)
		routes += fmt.Sprintf("  route-%s: {select: [{candidates: [model-%s]}], affinity: {ttl: 1m}}\n", id, id)
	}
	box := Start(t, "--config", policyFile(t, "version: 1\nproviders:\n"+providers+
		fmt.Sprintf("  good: {kind: openai, base_url: %s/v1, allow_private: true, timeouts: %s}\nmodels:\n", good.URL, longTimeouts)+models+
		"defaults: {breaker: {open: 500ms}}\nroutes:\n"+routes))
	for name, a := range all {
		t.Run(name, func(t *testing.T) {
			before := len(good.Received())
			r := &faultRun{box: box, id: strings.ReplaceAll(name, " ", "-")}
			r.runHalf(t)
			if a.ends {
				bad[name].Close()
			}
			r.runHalf(t)
			calls := len(bad[name].Received()) + len(good.Received()) - before
			t.Logf("%d requests, %d calls (%.3f a request), %d of them of what fails", *requests, calls, float64(calls)/float64(*requests), len(bad[name].Received()))
			require.LessOrEqual(t, calls*100, *requests*mostCalls)
		})
	}
}

// faultRun sends many requests for a model with one faulty provider: by model name and
// by a route that needs the router, streamed and not.
type faultRun struct {
	box   *Gateway
	id    string
	begun atomic.Int64
}

func (r *faultRun) runHalf(t *testing.T) {
	t.Helper()
	until := r.begun.Load() + int64(*requests)/2
	var mu sync.Mutex
	var wrong []string
	var wg sync.WaitGroup
	for range faultWorkers {
		wg.Go(func() {
			for n := r.begun.Add(1); n <= until; n = r.begun.Add(1) {
				if err := r.request(t, n); err != nil {
					mu.Lock()
					wrong = append(wrong, fmt.Sprintf("request %d: %v", n, err))
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	r.begun.Store(until)
	require.Empty(t, wrong)
}

func (r *faultRun) request(t *testing.T, n int64) error {
	model, form := []string{"model-", "route-"}[n%2]+r.id, n%4 < 2
	began := time.Now()
	res, err := r.box.Post(t.Context(), "/chat/completions", fmt.Sprintf(
		`{"model":%q,"stream":%t,"messages":[{"role":"user","content":"number %d"}]}`, model, form, n))
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	whole := strings.Contains(string(body), `"content":"Hello there."`)
	if form {
		whole = strings.Contains(string(body), `" there."`) && strings.HasSuffix(string(body), "data: [DONE]\n\n")
	}
	if err == nil && (res.StatusCode != http.StatusOK || !whole) {
		err = fmt.Errorf("%s after %s: %.300s", res.Status, time.Since(began), body)
	}
	return err
}
