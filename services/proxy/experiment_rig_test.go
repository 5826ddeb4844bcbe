package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

// The models cost 1000 nano-USD per input token and 2000 per output token. A response has 10
// output tokens.
const experimentPolicy = `
version: 1
providers:
  open: {kind: openai, base_url: "%[1]s/v1", allow_private: true, tags: [eu]}
  court: {kind: openai, base_url: "%[1]s/v1", allow_private: true, tags: [eu]}
  far: {kind: openai, base_url: "%[1]s/v1", allow_private: true}
models:
  small: {endpoints: [{provider: open, model: up-small}], context: 200000, capabilities: [tools], price: {input: "1", output: "2"}}
  large: {endpoints: [{provider: open, model: up-large}], context: 200000, capabilities: [tools], price: {input: "1", output: "2"}}
  away: {endpoints: [{provider: far, model: up-away}], context: 200000, price: {input: "1", output: "2"}}
  judge: {endpoints: [{provider: court, model: up-judge}], context: 200000, price: {input: "1", output: "2"}}
defaults: {baseline: large, unlisted: deny}
routes:
  auto:
    select:
      - {name: eu-only, when: {key.tag: eu}, require: [{provider.tag: eu}]}
      - {target: small}
experiments:
  try: {share: 1, routes: [auto], candidates: [%[2]s], judge: %[3]s, daily_usd: "%[4]s"}
`

// vendor is an emulated provider. The quality of each of its models is known, and its judge
// sees the better response, unless it prefers the first one.
type vendor struct {
	*httptest.Server
	mu     sync.Mutex
	bodies map[string][]string
	// billed is what all calls to a model cost, in nano-USD.
	billed map[string]int64
	// counts has the number of calls by model. forgets leaves out the bodies, for long runs.
	counts  map[string]int
	forgets bool
	// biased makes the judge prefer the first response.
	biased bool
	// hang makes calls to a model wait for release, or for the end of the test or of the call.
	hang    string
	release chan struct{}
	done    chan struct{}
}

var vendorQuality = map[string]int{"up-small": 3, "up-large": 8, "up-away": 8}

func newVendor(t *testing.T) *vendor {
	v := &vendor{bodies: map[string][]string{}, billed: map[string]int64{}, counts: map[string]int{}, release: make(chan struct{}), done: make(chan struct{})}
	v.Server = httptest.NewServer(http.HandlerFunc(v.serve))
	t.Cleanup(func() {
		close(v.done)
		v.Close()
	})
	return v
}

func (v *vendor) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request struct{ Model string }
	_ = json.Unmarshal(body, &request)
	v.mu.Lock()
	if v.counts[request.Model]++; !v.forgets {
		v.bodies[request.Model] = append(v.bodies[request.Model], string(body))
	}
	input := len(body) / 4
	v.billed[request.Model] += int64(input)*1000 + 10*2000
	hangs := v.hang == request.Model
	v.mu.Unlock()
	if hangs {
		select {
		case <-v.release:
		case <-v.done:
			return
		case <-r.Context().Done():
			return
		}
	}
	text := fmt.Sprintf("an answer of quality %d", vendorQuality[request.Model])
	if request.Model == "up-judge" {
		text = v.judge(string(body))
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":%d,"completion_tokens":10,"total_tokens":%d}}`, request.Model, text, input, input+10)
}

var qualityOf = regexp.MustCompile(`RESPONSE (A|B).{0,4}an answer of quality (\d)`)

func (v *vendor) judge(body string) string {
	found := qualityOf.FindAllStringSubmatch(body, -1)
	switch {
	case len(found) != 2:
		return "I cannot say."
	case v.biased:
		return "The first one.\nVERDICT: A"
	case found[0][2] > found[1][2]:
		return "A is better.\nVERDICT: A"
	case found[0][2] < found[1][2]:
		return "B is better.\n**VERDICT: B**"
	}
	return "Equal.\nVERDICT: TIE"
}

// calls returns the bodies that a model received.
func (v *vendor) calls(model string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string{}, v.bodies[model]...)
}

// bill returns what the calls to the models cost.
func (v *vendor) bill(models ...string) (nano int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, model := range models {
		nano += v.billed[model]
	}
	return nano
}

// experimentRig is a proxy with an experiment that samples every request of the route auto.
type experimentRig struct {
	*rig
	vendor *vendor
	// seen are the records so far, by kind.
	requests    []*recordv1.RequestRecord
	comparisons []*recordv1.RequestRecord
}

func newExperimentRig(t *testing.T, candidates, judge, usd string) *experimentRig {
	t.Helper()
	v := newVendor(t)
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile(fmt.Appendf(nil, experimentPolicy, v.URL, candidates, judge, usd), cat)
	require.NoError(t, err)
	g := &rig{
		t: t, keyauth: newKeyauthServer(), router: &routerServer{policy: p, changes: make(chan *policy.Policy)},
		cfg: proxy.Config{Data: t.TempDir(), DecideTimeout: patience, MaxBody: 1 << 20, CaptureBytes: 64 << 10, DrainLimit: time.Second, ShadowWorkers: 2},
	}
	x := &experimentRig{rig: g, vendor: v}
	g.key = x.addKey(true, &keyauthv1.KeySettings{Name: "test"})
	g.start()
	return x
}

// addKey adds a key of an account that allows experiments or not.
func (x *experimentRig) addKey(allow bool, settings *keyauthv1.KeySettings) string {
	key := x.keyauth.addTo(fmt.Sprintf("account-%v", allow), nil, settings)
	x.keyauth.mu.Lock()
	defer x.keyauth.mu.Unlock()
	x.keyauth.known[apikey.DigestOf(key)].AllowExperiments = allow
	return key
}

func (x *experimentRig) ask(body string, headers ...string) (*http.Response, string) {
	x.t.Helper()
	res, text := x.call(http.MethodPost, chatPath, body, headers...)
	require.Equal(x.t, http.StatusOK, res.StatusCode, text)
	return res, text
}

// await reads records until there are as many of each kind.
func (x *experimentRig) await(requests, comparisons int) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), patience)
	defer cancel()
	for len(x.requests) < requests || len(x.comparisons) < comparisons {
		b, err := x.carrier.Next(ctx)
		require.NoError(x.t, err, "%d requests, %d comparisons", len(x.requests), len(x.comparisons))
		x.ack(b)
		for _, e := range b.Entries {
			r := &recordv1.RequestRecord{}
			require.NoError(x.t, proto.Unmarshal(e.Record, r))
			if r.GetComparison() != nil {
				require.False(x.t, strings.Contains(string(e.Record), "quality"), "no text of the responses")
				x.comparisons = append(x.comparisons, r)
			} else {
				x.requests = append(x.requests, r)
			}
		}
	}
}
