package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// vendor responds to each credential with its status and records the callers.
type vendor struct {
	t        *testing.T
	statuses map[string]int
	called   []string
	// before runs before every response.
	before func()
}

func (v *vendor) RoundTrip(r *http.Request) (*http.Response, error) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	v.called = append(v.called, key)
	body, err := io.ReadAll(r.Body)
	require.NoError(v.t, err)
	require.Equal(v.t, "hello", string(body), "every call has the whole body")
	if v.before != nil {
		v.before()
	}
	h := http.Header{"Retry-After": {"7"}, "X-Request-Id": {"of " + key}}
	if v.statuses[key] == 401 {
		h.Del("Retry-After")
	}
	return &http.Response{StatusCode: v.statuses[key], Header: h, Body: io.NopCloser(strings.NewReader("no, " + key))}, nil
}

func (v *vendor) client(keys ...config.Secret) *Client {
	v.t.Helper()
	var all []keypool.Key
	for _, k := range keys {
		all = append(all, keypool.Key{Name: "env:" + k.Reveal(), Secret: k})
	}
	p, err := keypool.New(all...)
	require.NoError(v.t, err)
	c, err := New(Config{Name: "acme", Transport: egress.WrapTransport(v), Keys: p})
	require.NoError(v.t, err)
	return c
}

func callClient(ctx context.Context, c *Client, tried ...keypool.KeySet) (Response, error) {
	r := Request{Address: egress.NewAddress(&url.URL{Scheme: "http", Host: "acme.example"}), Model: "m", BodyPieces: [][]byte{[]byte("hel"), []byte("lo")}}
	for _, t := range tried {
		r.TriedKeys |= t
	}
	return c.Do(ctx, r)
}

// repeatCalls calls the client as package dispatch does, until it asks for no other key.
func repeatCalls(t *testing.T, c *Client) (Response, error) {
	t.Helper()
	var tried keypool.KeySet
	for {
		a, err := callClient(t.Context(), c, tried)
		repeat, ok := errors.AsType[*provider.RepeatError](err)
		if !ok {
			return a, err
		}
		require.Equal(t, provider.OtherKey, repeat.Reason)
		tried = repeat.Next.TriedKeys
	}
}

func TestAnotherKeyIsSuggested(t *testing.T) {
	for _, status := range []int{401, 402, 403, 429} {
		v := &vendor{t: t, statuses: map[string]int{"one": status, "two": 200}}
		c := v.client("one", "two")
		_, err := callClient(t.Context(), c)
		var repeat *provider.RepeatError
		require.ErrorAs(t, err, &repeat, status)
		require.Equal(t, status, apperr.From(err).Details["upstream_status"])
		require.Equal(t, []string{"one"}, v.called, "the client makes one call")
		a, err := callClient(t.Context(), c, repeat.Next.TriedKeys)
		require.NoError(t, err, status)
		require.Equal(t, []string{"one", "two"}, v.called)
		require.Equal(t, "of two", a.UpstreamID)

		_, err = callClient(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, []string{"one", "two", "two"}, v.called, "%d is remembered", status)
	}
}

func TestOtherFailuresKeepTheKey(t *testing.T) {
	for _, status := range []int{400, 404, 408, 500, 503, 529} {
		v := &vendor{t: t, statuses: map[string]int{"one": status, "two": 200}}
		c := v.client("one", "two")
		_, err := callClient(t.Context(), c)
		require.Error(t, err, status)
		require.NotErrorAs(t, err, new(*provider.RepeatError))
		for range 2 {
			_, _ = callClient(t.Context(), c)
		}
		require.Equal(t, []string{"one", "two", "one"}, v.called, status)
	}
}

func TestAllKeysRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{t: t, statuses: map[string]int{"one": 401, "two": 401}}
		c := v.client("one", "two")
		_, err := repeatCalls(t, c)
		require.Equal(t, apperr.ProviderAuth, apperr.CodeOf(err))
		require.Len(t, v.called, 2)
		require.Equal(t, []bool{true, true}, c.keys.Suspended())

		<-time.After(20 * time.Second)
		_, err = callClient(t.Context(), c)
		require.Equal(t, apperr.ProviderAuth, apperr.CodeOf(err))
		require.Equal(t, 40*time.Second, apperr.From(err).RetryAfter)
		require.Equal(t, 0, apperr.From(err).Details["upstream_calls"])
		require.Len(t, v.called, 2, "suspended keys are not used")

		v.statuses["two"] = 200
		<-time.After(40 * time.Second)
		a, err := callClient(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, "of two", a.UpstreamID)
	})
}

func TestAllKeysRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{t: t, statuses: map[string]int{"one": 429, "two": 401}}
		c := v.client("one", "two")
		for range 2 {
			_, err := repeatCalls(t, c)
			require.Error(t, err)
		}
		_, err := callClient(t.Context(), c)
		require.Equal(t, apperr.ProviderRateLimited, apperr.CodeOf(err))
		require.Equal(t, 7*time.Second, apperr.From(err).RetryAfter)
		require.Len(t, v.called, 2)
	})
}

func TestSingleKeyIsUsedOnce(t *testing.T) {
	v := &vendor{t: t, statuses: map[string]int{"one": 429}}
	c := v.client("one")
	for range 2 {
		_, err := callClient(t.Context(), c)
		require.Equal(t, 7*time.Second, apperr.From(err).RetryAfter)
		require.NotErrorAs(t, err, new(*provider.RepeatError))
	}
	require.Len(t, v.called, 2, "the next call uses it again")
}

func TestEveryKeyIsTriedOnce(t *testing.T) {
	v := &vendor{t: t, statuses: map[string]int{"1": 401, "2": 403, "3": 429, "4": 401, "5": 200}}
	_, err := repeatCalls(t, v.client("1", "2", "3", "4", "5"))
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "3", "4", "5"}, v.called)
}

func TestNoOtherKeyAfterCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	v := &vendor{t: t, statuses: map[string]int{"one": 401, "two": 200}, before: cancel}
	c := v.client("one", "two")
	_, err := callClient(ctx, c)
	require.Error(t, err)
	_, err = callClient(ctx, c, keypool.KeySet(0).With(0))
	require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(err))
	require.Equal(t, []string{"one"}, v.called)
}

// Error texts and bodies that echo a key must not show it to the client.
func TestEveryKeyIsRedacted(t *testing.T) {
	const one, two = "the-first-credential", "the-other-credential"
	v := &vendor{t: t, statuses: map[string]int{one: 401, two: 400}}
	c := v.client(one, two)
	_, err := callClient(t.Context(), c)
	require.NotContains(t, string(apperr.From(err).Body(apperr.Options{})), "the-first")
	_, err = repeatCalls(t, c)
	require.NotContains(t, string(apperr.From(err).Body(apperr.Options{})), "the-other")
	v.statuses[two] = 200
	a, err := repeatCalls(t, v.client(one, two))
	require.NoError(t, err)
	require.Equal(t, "no, ***", string(a.Body))
}

// Keys are redacted however they are escaped, in bodies and in headers.
func TestEscapedKeysAreRedacted(t *testing.T) {
	const key = "ab/cd&ef+gh\"ij=012345"
	answer := func(status int, body string) (Response, error) {
		p, err := keypool.New(keypool.Key{Name: "env:KEY", Secret: key})
		require.NoError(t, err)
		c, err := New(Config{Name: "acme", Keys: p, Transport: egress.WrapTransport(respondFunc(func(*http.Request) *http.Response {
			return &http.Response{StatusCode: status, Header: http.Header{"X-Request-Id": {"of " + key}}, Body: io.NopCloser(strings.NewReader(body))}
		}))})
		require.NoError(t, err)
		return callClient(t.Context(), c)
	}
	for _, written := range []string{
		`ab/cd&ef+gh\"ij=012345`,
		`ab\/cd\u0026ef\u002bgh\u0022ij\u003D012345`,
		`\u0061b/cd&ef+gh\"ij=01234\u0035`,
		`ab\\\/cd\\u0026ef+gh\\\"ij=012345`,
	} {
		_, err := answer(400, `{"error":{"message":"\n\"`+written+`\" and `+written+`."}}`)
		require.Equal(t, "\n\"***\" and ***.", apperr.From(err).Message)
		a, err := answer(200, `{"error":"\\`+written+`, `+written[:len(written)-1]+`"}`)
		require.NoError(t, err)
		require.Equal(t, `{"error":"***, `+written[:len(written)-1]+`"}`, string(a.Body))
		require.Equal(t, "of ***", a.UpstreamID)
	}
}

// Self-hosted servers often use ordinary words as keys.
func TestShortKeysAreNotRedacted(t *testing.T) {
	v := &vendor{t: t, statuses: map[string]int{"context": 400}}
	_, err := callClient(t.Context(), v.client("context"))
	require.Equal(t, "no, context", apperr.From(err).Message)
}

// A response with a successful status may contain an error about the key.
func TestErrorsInSuccessfulResponses(t *testing.T) {
	for body, parked := range map[string]bool{
		`{"error":{"code":401,"message":"no"}}`:                       true,
		`{"error":{"code":402,"message":"no"}}`:                       true,
		`{"error":{"code":403,"message":"no"}}`:                       false,
		`{"error":{"code":429,"message":"no"}}`:                       false,
		`{"error":{"type":"authentication_error","message":"no"}}`:    true,
		`{"error":{"type":"insufficient_quota","message":"billing"}}`: true,
	} {
		v := &vendor{t: t, statuses: map[string]int{"one": 200, "two": 200}}
		c := v.client("one", "two")
		a, err := callClient(t.Context(), c)
		require.NoError(t, err)
		a.ToProviderResponse().ReportError(upstreamerror.ParseInBand([]byte(body)))
		require.Equal(t, []bool{parked, false}, c.keys.Suspended(), body)
		for range 3 {
			_, err = callClient(t.Context(), c)
			require.NoError(t, err)
		}
		require.Equal(t, []string{"one", "two", "two", "two"}, v.called, body)
	}
	v := &vendor{t: t, statuses: map[string]int{"one": 200, "two": 200}}
	c := v.client("one", "two")
	for range 2 {
		a, err := callClient(t.Context(), c)
		require.NoError(t, err)
		a.ToProviderResponse().ReportError(upstreamerror.ParseInBand([]byte(`{"error":{"code":503,"message":"busy"}}`)))
	}
	_, err := callClient(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "two", "one"}, v.called)
}

func TestHeaders(t *testing.T) {
	var got http.Header
	c, err := New(Config{
		Name: "acme", Version: "1.2.3", Header: http.Header{"Acme-Version": {"5"}}, IDHeaders: []string{"Acme-Id", "X-Request-Id"},
		Keys:      (&vendor{t: t}).client("one").keys,
		Authorize: func(h http.Header, key string) { h["X-Api-Key"] = []string{key} },
		Transport: egress.WrapTransport(respondFunc(func(r *http.Request) *http.Response {
			got = r.Header
			return &http.Response{StatusCode: 200, Header: http.Header{"X-Request-Id": {"theirs"}}, Body: http.NoBody}
		})),
	})
	require.NoError(t, err)
	a, err := c.Do(t.Context(), Request{Address: egress.NewAddress(&url.URL{Scheme: "http", Host: "acme.example"})})
	require.NoError(t, err)
	require.Equal(t, "theirs", a.UpstreamID)
	want := http.Header{
		"Accept": {"application/json"}, "Accept-Encoding": {"identity"}, "Content-Type": {"application/json"}, "User-Agent": {"signalbox/1.2.3"},
		"Acme-Version": {"5"}, "X-Api-Key": {"one"},
	}
	require.Equal(t, want, got)
}
