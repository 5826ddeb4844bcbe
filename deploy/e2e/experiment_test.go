package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// experimentCap is the daily limit of the experiment in nano-USD. The models cost 1000 per
// input token and 2000 per output token, so that one comparison costs about 1.5 million and
// can cost about 16 million. What the killed proxy has reserved stays reserved.
const experimentCap = 60_000_000

const experimentDocument = `version: 1
providers: {local: {kind: openai, base_url: "%s/v1", allow_private: true}}
models:
  small: {endpoints: [{provider: local, model: up-small}], context: 100000, price: {input: "1", output: "2"}}
  large: {endpoints: [{provider: local, model: up-large}], context: 100000, price: {input: "1", output: "2"}}
  judge: {endpoints: [{provider: local, model: up-judge}], context: 100000, price: {input: "1", output: "2"}}
defaults: {baseline: large}
routes: {auto: {select: [{target: small}]}}
experiments: {try: {share: 1, routes: [auto], candidates: [large], judge: judge, daily_usd: "0.06"}}
`

// biller is a provider that counts what it bills, by model.
type biller struct {
	mu     sync.Mutex
	billed map[string]int64
	bodies map[string][]string
}

func (b *biller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request struct{ Model string }
	_ = json.Unmarshal(body, &request)
	input := len(body) / 4
	b.mu.Lock()
	b.billed[request.Model] += int64(input)*1000 + 7*2000
	b.bodies[request.Model] = append(b.bodies[request.Model], string(body))
	b.mu.Unlock()
	if request.Model != "up-small" {
		select { // long enough that a process dies with calls in flight
		case <-time.After(50 * time.Millisecond):
		case <-r.Context().Done():
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":"Equal.\nVERDICT: TIE"},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":%d,"completion_tokens":7,"total_tokens":%d}}`, request.Model, input, input+7)
}

func (b *biller) bill(models ...string) (nano int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, model := range models {
		nano += b.billed[model]
	}
	return nano
}

// Experiments stay within their daily limit while fifty clients send requests to two
// proxies, one proxy is killed, and Redis is killed and hangs. Clients pay only for their own
// responses. Accounts that have not allowed experiments are not sampled.
func TestTheMoneyOfExperiments(t *testing.T) {
	t.Parallel()
	b := &biller{billed: map[string]int64{}, bodies: map[string][]string{}}
	upstream := httptest.NewServer(b)
	t.Cleanup(upstream.Close)
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, experimentDocument, upstream.URL), 0o600))
	q := &quotaRig{t: t, redis: newRedis(t)}
	q.box = StartSplit(t, "--config", path, "--proxies", "2", "--redis", q.redis.url)
	q.operator = q.box.SignInOperator()
	key := q.operator.makeKey(map[string]any{"name": "experiments"})

	ask := func(base, text string) bool {
		ctx, cancel := context.WithTimeout(t.Context(), waitTimeout)
		defer cancel()
		body := `{"model":"auto","messages":[{"role":"user","content":"` + text + `"}]}`
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			return false
		}
		r.Header.Set("Authorization", "Bearer "+key.Key)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return false // a proxy was killed
		}
		defer func() { _ = res.Body.Close() }()
		_, err = io.Copy(io.Discard, res.Body)
		return err == nil && res.StatusCode == http.StatusOK
	}
	crowd := func(text string) {
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() { ask(q.box.Proxies[i%2], text) })
		}
		all.Wait()
	}

	crowd("canary-before")
	status, answer := q.operator.Call(http.MethodPatch, "/account", map[string]any{"allow_experiments": true}, nil)
	require.Equal(t, http.StatusOK, status, "%s", answer)
	require.Eventually(t, func() bool {
		ask(q.box.Proxies[0], "hello")
		return b.bill("up-large") > 0
	}, waitTimeout, pollInterval, "the account takes part")

	crowd("again")
	q.killProxy()
	crowd("after a crash")
	q.redis.kill()
	crowd("after Redis")
	end := freeze(q.redis.PID())
	crowd("while Redis hangs")
	end()
	before := b.bill("up-large")
	require.Eventually(t, func() bool {
		crowd("later")
		return b.bill("up-large") > before
	}, waitTimeout, pollInterval, "the experiment goes on after the faults")
	// The limit is reached when the money that is left does not cover another comparison.
	last, rounds := int64(-1), 0
	require.Eventually(t, func() bool {
		crowd("more")
		now := b.bill("up-large", "up-judge")
		if rounds++; now != last {
			last, rounds = now, 0
		}
		return rounds == 3
	}, 2*waitTimeout, time.Second)

	spent := b.bill("up-large", "up-judge")
	t.Logf("experiments cost %d of %d nano-USD", spent, experimentCap)
	require.LessOrEqual(t, spent, int64(experimentCap))
	for _, model := range []string{"up-large", "up-judge"} {
		for _, body := range b.bodies[model] {
			require.NotContains(t, body, "canary-before")
		}
	}
	q.requireBooked(key.ID, b)
}

// requireBooked checks that the ledger has what the provider billed, apart from what was in
// progress when a process was killed.
func (q *quotaRig) requireBooked(key string, b *biller) {
	q.t.Helper()
	var report struct {
		Items []struct {
			Task      *string
			Count     int64
			Failed    int64
			Candidate int64 `json:"candidate_cost_nano_usd"`
			Judge     int64 `json:"judge_cost_nano_usd"`
		}
	}
	require.Eventually(q.t, func() bool {
		m, err := q.operator.completeness()
		return err == nil && m.Incomplete == 0
	}, waitTimeout, 10*pollInterval)
	status, body := q.operator.Call(http.MethodGet, "/experiments", nil, &report)
	require.Equal(q.t, http.StatusOK, status, "%s", body)
	require.NotEmpty(q.t, report.Items)
	booked, billed := report.Items[0].Candidate+report.Items[0].Judge, b.bill("up-large", "up-judge")
	require.LessOrEqual(q.t, booked, billed)
	const inFlight = 2 * 3_000_000 // two workers were killed
	require.GreaterOrEqual(q.t, booked, billed-inFlight)
	sum, _ := q.charged(key)
	require.LessOrEqual(q.t, sum, b.bill("up-small"), "clients pay only for their own responses")
}
