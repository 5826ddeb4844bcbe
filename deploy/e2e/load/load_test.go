package load_test

import (
	"context"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/load"
	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// startGateway starts a plain reverse proxy in front of the provider.
func startGateway(t *testing.T, p *load.Provider) string {
	to, err := url.Parse(p.URL + "/alpha")
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(to)
	forward.FlushInterval = -1
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/proxy")
		w.Header().Set("X-Request-Id", "id-"+r.Header.Get("X-Request-Id"))
		w.Header().Set("X-Signalbox-Cost-Usd", "1.000000007")
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestClientsAndProviderRecordTheSameRequests(t *testing.T) {
	p := load.NewProvider(7)
	t.Cleanup(p.Close)
	base := startGateway(t, p)
	l := load.Start(load.Target{Base: func() string { return base }, Keys: []string{"a", "b"}}, 7, 1, 400)
	require.Eventually(t, func() bool { return l.SuccessCount() > 150 }, time.Minute, time.Millisecond)
	lines := l.Stop()
	calls := map[string]reconcile.Call{}
	for _, c := range p.Calls() {
		require.NotContains(t, calls, c.Mark, "no request was retried")
		calls[c.Mark] = c
	}
	require.Len(t, calls, len(lines))
	var kinds struct{ streams, refused, wasted, left int }
	for _, r := range lines {
		c, ok := calls[r.Mark]
		require.True(t, ok, r.Mark)
		require.Equal(t, "id-"+r.Mark, r.ID)
		require.EqualValues(t, 1_000_000_007, *r.ReportedCost)
		require.Equal(t, c.Status, r.Status)
		require.Equal(t, r.Left, !c.Finished, r.Mark)
		switch {
		case r.Left:
			kinds.left++
		case r.Status != http.StatusOK:
			kinds.refused++
			require.Empty(t, c.Reported)
		case r.Stream && !r.Complete:
			kinds.wasted++
			require.Len(t, c.Reported, 1)
		default:
			require.True(t, r.Complete, r.Err)
			require.Len(t, c.Reported, 1)
		}
		if r.Stream {
			kinds.streams++
		}
	}
	for _, n := range []int{kinds.streams, kinds.refused, kinds.wasted, kinds.left} {
		require.Positive(t, n, "%+v", kinds)
	}
	p.Reset()
	require.Empty(t, p.Calls())
}

func TestASeedGivesTheSamePolicy(t *testing.T) {
	one, again, other := load.NewProvider(3), load.NewProvider(3), load.NewProvider(4)
	for _, p := range []*load.Provider{one, again, other} {
		t.Cleanup(p.Close)
	}
	require.Equal(t, one.Prices, again.Prices)
	require.NotEqual(t, one.Prices, other.Prices)
	require.Equal(t, strings.ReplaceAll(one.Policy(), one.URL, again.URL), again.Policy())
	for model, price := range one.Prices {
		written := new(big.Rat).SetFrac64(price.Input, 1_000_000).FloatString(6)
		require.Contains(t, one.Policy(), `{input: "`+written+`"`, model)
	}
}

func TestClientsThatDisconnect(t *testing.T) {
	p := load.NewProvider(5)
	t.Cleanup(p.Close)
	base := startGateway(t, p)
	for n, reports := range []bool{false, true} {
		e := load.EndlessStream(load.Mark(5, n), 7, reports)
		e.Base = base
		line := load.NewClient().Do(t.Context(), e)
		require.True(t, line.Left)
		require.Positive(t, line.Bytes)
		call := p.Calls()[n]
		require.False(t, call.Finished)
		require.Equal(t, reports, len(call.Reported) >= 7)
	}
	e := load.Unanswered(load.Mark(6, 0), false)
	e.Base = base
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lines := make(chan reconcile.Request, 1)
	go func() { lines <- load.NewClient().Do(ctx, e) }()
	require.Eventually(t, func() bool { return p.HasReceived(e.Entry.Mark) }, time.Minute, time.Millisecond)
	cancel()
	line := <-lines
	require.True(t, line.Left)
	require.Empty(t, line.ID)
	require.Len(t, p.Calls(), 3)
}
