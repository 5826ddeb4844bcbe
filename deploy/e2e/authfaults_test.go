package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// served is how many requests with a known key each proxy must answer while a
// part is in trouble.
const served = 30

// allowed says what may become of keys that no proxy has seen, while a part is
// in trouble.
type allowed struct {
	good, wrong []int
}

var (
	asEver  = allowed{good: []int{http.StatusOK}, wrong: []int{http.StatusUnauthorized}}
	later   = allowed{good: []int{http.StatusServiceUnavailable}, wrong: []int{http.StatusServiceUnavailable}}
	perhaps = allowed{good: append(asEver.good, later.good...), wrong: append(asEver.wrong, later.wrong...)}
)

// Whatever happens to keyauth or to what is behind it: known keys work, nobody
// is let in who should not be, no good key is called wrong, and it ends by
// itself.
func TestKeysInTimesOfTroubleKillHangSlow(t *testing.T) {
	box := StartSplit(t, "--drain-delay", "0s")
	operator := box.SignInOperator()
	known := operator.makeKey(map[string]any{})
	box.becomes(known.Key, http.StatusOK)
	for _, tt := range []struct {
		part, name string
		fault      fault
		allowed    allowed
	}{
		{"keyauth", "hangs", hangs, later},
		{"postgres", "hangs", hangs, later},
		{"redis", "hangs", hangs, asEver},
		{"keyauth", "is slow", slows, perhaps},
		{"postgres", "is slow", slows, perhaps},
		{"redis", "is slow", slows, asEver},
		{"keyauth", "dies", dies, perhaps},
		{"postgres", "dies", dies, perhaps},
		{"redis", "dies", dies, asEver},
	} {
		t.Run(tt.part+" "+tt.name, func(t *testing.T) {
			box, operator := box.of(t), operator.of(t)
			good := operator.makeKey(map[string]any{})
			over := tt.fault(t, box, tt.part)
			box.trouble(known.Key, good.Key, tt.allowed)
			over()
			box.becomes(good.Key, http.StatusOK)
			box.becomes(apikey.New(), http.StatusUnauthorized)
			require.Eventually(t, func() bool {
				status, _ := operator.Call(http.MethodGet, "/keys", nil, nil)
				return status == http.StatusOK
			}, waitTimeout, pollInterval)
		})
	}
	t.Run("proxies die while keyauth hangs", func(t *testing.T) { revocationSurvives(t, box.of(t), operator.of(t)) })
	operator.settles()
}

func (b *Gateway) of(t *testing.T) *Gateway {
	return &Gateway{t: t, cmd: b.cmd, exited: b.exited, Base: b.Base, Dashboard: b.Dashboard, Key: b.Key, Proxies: b.Proxies}
}

func (a *APIClient) of(t *testing.T) *APIClient {
	return &APIClient{t: t, base: a.base, client: a.client}
}

// trouble uses every kind of key at every proxy, all at once.
func (b *Gateway) trouble(known, good string, may allowed) {
	b.t.Helper()
	var wg sync.WaitGroup
	malformed, wrong := known[:len(known)-1]+"!", apikey.New()
	for _, base := range b.Proxies {
		wg.Go(func() { b.uses(base, good, 1, may.good) })
		wg.Go(func() { b.uses(base, wrong, 1, may.wrong) })
		wg.Go(func() { b.uses(base, malformed, served, asEver.wrong) })
		wg.Go(func() { b.uses(base, known, served, asEver.good) })
	}
	wg.Wait()
	if b.t.Failed() {
		b.t.FailNow()
	}
}

// uses chats with a key so often, and looks whether each answer is one that may
// be.
func (b *Gateway) uses(base, key string, times int, may []int) {
	for range times {
		got, err := chatAt(b.t, base, key)
		if err != nil {
			b.t.Error(err)
			return
		}
		if !slices.Contains(may, got.status) {
			b.t.Errorf("%s %+v, want a status of %v", base, got, may)
		}
		if got.status == http.StatusServiceUnavailable && (got.Code != "AUTH_UNAVAILABLE" || got.retry == "") {
			b.t.Errorf("%s %+v, want AUTH_UNAVAILABLE with Retry-After", base, got)
		}
	}
}

// verdict is what the edge says to a key.
type verdict struct {
	status int
	retry  string
	Code   string `json:"code"`
}

func chatAt(t *testing.T, base, key string) (verdict, error) {
	body := strings.NewReader(`{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", body)
	if err != nil {
		return verdict{}, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := edgeClient.Do(req)
	if err != nil {
		return verdict{}, err
	}
	defer func() { _ = res.Body.Close() }()
	got := verdict{status: res.StatusCode, retry: res.Header.Get("Retry-After")}
	return got, json.NewDecoder(res.Body).Decode(&got)
}
