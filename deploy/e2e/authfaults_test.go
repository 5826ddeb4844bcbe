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

// knownKeyRequests is how many requests with a known key each proxy must serve during a
// fault.
const knownKeyRequests = 30

// allowedStatuses lists the statuses that keys unknown to the proxies may get during a
// fault.
type allowedStatuses struct {
	good, wrong []int
}

var (
	normalStatuses      = allowedStatuses{good: []int{http.StatusOK}, wrong: []int{http.StatusUnauthorized}}
	unavailableStatuses = allowedStatuses{good: []int{http.StatusServiceUnavailable}, wrong: []int{http.StatusServiceUnavailable}}
	eitherStatuses      = allowedStatuses{good: append(normalStatuses.good, unavailableStatuses.good...), wrong: append(normalStatuses.wrong, unavailableStatuses.wrong...)}
)

// During any fault of keyauth or the servers behind it, known keys work, invalid keys
// are not accepted, valid keys are never called invalid, and the system recovers
// without help.
func TestKeysDuringFaultsKillHangSlow(t *testing.T) {
	t.Parallel()
	box := StartSplit(t, "--drain-delay", "0s")
	operator := box.SignInOperator()
	known := operator.makeKey(map[string]any{})
	box.awaitStatusEverywhere(known.Key, http.StatusOK)
	for _, tt := range []struct {
		part, name string
		fault      fault
		allowed    allowedStatuses
	}{
		{"keyauth", "hangs", hangPart, unavailableStatuses},
		{"postgres", "hangs", hangPart, unavailableStatuses},
		{"redis", "hangs", hangPart, normalStatuses},
		{"keyauth", "is slow", slowPart, eitherStatuses},
		{"postgres", "is slow", slowPart, eitherStatuses},
		{"redis", "is slow", slowPart, normalStatuses},
		{"keyauth", "dies", killPart, eitherStatuses},
		{"postgres", "dies", killPart, eitherStatuses},
		{"redis", "dies", killPart, normalStatuses},
	} {
		t.Run(tt.part+" "+tt.name, func(t *testing.T) {
			box, operator := box.withTest(t), operator.withTest(t)
			good := operator.makeKey(map[string]any{})
			over := tt.fault(t, box, tt.part)
			box.useKeysDuringFault(known.Key, good.Key, tt.allowed)
			over()
			box.awaitStatusEverywhere(good.Key, http.StatusOK)
			box.awaitStatusEverywhere(apikey.New(), http.StatusUnauthorized)
			require.Eventually(t, func() bool {
				status, _ := operator.Call(http.MethodGet, "/keys", nil, nil)
				return status == http.StatusOK
			}, waitTimeout, pollInterval)
		})
	}
	t.Run("proxies die while keyauth hangs", func(t *testing.T) { revocationSurvives(t, box.withTest(t), operator.withTest(t)) })
	operator.awaitComplete()
}

func (a *APIClient) withTest(t *testing.T) *APIClient {
	return &APIClient{t: t, base: a.base, client: a.client}
}

// useKeysDuringFault uses every kind of key on every proxy concurrently.
func (b *Gateway) useKeysDuringFault(known, good string, may allowedStatuses) {
	b.t.Helper()
	var wg sync.WaitGroup
	malformed, wrong := known[:len(known)-1]+"!", apikey.New()
	for _, base := range b.Proxies {
		wg.Go(func() { b.useKey(base, good, 1, may.good) })
		wg.Go(func() { b.useKey(base, wrong, 1, may.wrong) })
		wg.Go(func() { b.useKey(base, malformed, knownKeyRequests, normalStatuses.wrong) })
		wg.Go(func() { b.useKey(base, known, knownKeyRequests, normalStatuses.good) })
	}
	wg.Wait()
	if b.t.Failed() {
		b.t.FailNow()
	}
}

// useKey sends requests with a key and checks that each status is allowed.
func (b *Gateway) useKey(base, key string, times int, may []int) {
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

// keyResponse is the proxy's response to a key.
type keyResponse struct {
	status int
	retry  string
	Code   string `json:"code"`
}

func chatAt(t *testing.T, base, key string) (keyResponse, error) {
	body := strings.NewReader(`{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", body)
	if err != nil {
		return keyResponse{}, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := edgeClient.Do(req)
	if err != nil {
		return keyResponse{}, err
	}
	defer func() { _ = res.Body.Close() }()
	got := keyResponse{status: res.StatusCode, retry: res.Header.Get("Retry-After")}
	return got, json.NewDecoder(res.Body).Decode(&got)
}
