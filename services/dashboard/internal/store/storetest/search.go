package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

func filters(t *testing.T, s *store.Store) {
	plain, odd := Make("acc", 1), Make("acc", 2)
	odd.Model, odd.RequestedModel, odd.Provider, odd.Route = "large", "large", "beta", record.RoutePolicy
	odd.Outcome, odd.Status, odd.Code, odd.Stream = record.OutcomeInterrupted, 503, "PROVIDER_OVERLOADED", true
	odd.KeyID, odd.KeyName, odd.Error, odd.ClientRequestID = "key_2", "my key", "It said: 50% of_it \\ is gone", "Mine-7"
	odd.Protocol, odd.Agent, odd.Session = record.ProtocolGemini, "gemini-cli", "run-3"
	odd.Cost, odd.BaselineCost = Nano(2_000_000), Nano(500_000)
	odd.Latency, odd.TTFT, odd.Gateway, odd.Tokens.CacheRead = 2_500_000, 900_000, 300, 20_000
	bare := Make("acc", 3) // rejected before routing
	bare.Model, bare.Provider, bare.Route, bare.Outcome, bare.Status = "", "", "", record.OutcomeRejected, 400
	bare.RequestedModel, bare.Cost, bare.TTFT, bare.Tokens = "nope", nil, 0, record.Tokens{}
	insert(t, s, plain, odd, bare)
	for want, texts := range map[string][]string{
		"odd": {
			"model:large", "requested_model:large", "provider:beta", "route:policy", "outcome:interrupted",
			"status:503", "code:PROVIDER_OVERLOADED", "stream:true",
			"protocol:gemini", "-protocol:chat", "protocol:gemini protocol:messages", "agent:gemini-cli", "agent:gemini*", "agent:*", "key:key_2", `key:"my key"`, "key:my*",
			"route:policy route:fallback model:large", "model:la*", "status:>=500", "-outcome:ok -outcome:rejected",
			"cost:>1m", "cost:2m", "cost:>=1m cost:<=$1", "saved:<0", "saved:-1500u", "latency:>2s", "ttft:>800ms", "gateway:>=300us",
			"tokens:>20k", "tokens:20015", "has:error", "code:*", "code:PROV*", "id:Mine-7", "id:Mi*",
			"%", "50%", "of_it", `"\ IS GONE"`, "overloaded", "LARGE", `"my key"`, "Mine-7", "beta", "said large", "run-3", "run-3 provider:beta",
			odd.ID.String(), odd.ID.String()[:35] + " provider:beta", odd.ID.String() + " gone", "id:" + odd.ID.String(),
		},
		"bare": {"-route:*", "-model:*", "is:unpriced", "-has:price", "-cost:>=0", "tokens:0", "status:400", "nope", "requested_model:n*"},
		"plain": {
			"model:small", "provider:a* -stream:true", "saved:>0", "-is:unpriced -has:error", "route:expected", "cost:100n",
			"ttft:<1ms", "status:200 -saved:<0", "-agent:* status:200", "protocol:chat status:200", "small", "-large -nope",
		},
		"plain odd bare": {
			"outcome:ok outcome:interrupted outcome:rejected", "key:*", "-model:none", "-id:x", "-zzz", "key_ tokens:>=0",
			plain.ID.String()[:9], "id:0", "latency:>0",
		},
		"": {
			"model:smal", "model:Small", `model:"la*"`, "model:small provider:beta", "code:PROVIDER", "cost:>1m cost:<1m",
			"501", "run-", "Run-3", "run-3 -run-3", "%%%%%%%%", "of-it", "a_p", "50%%", "ttft:0", "id:mine", "id:M", "key:prodz", "-key:*", "protocol:messages", "agent:gemini", "has:error has:price -has:error",
		},
	} {
		names := map[string]string{plain.ID.String(): "plain", odd.ID.String(): "odd", bare.ID.String(): "bare"}
		for _, text := range texts {
			page, err := s.Page(t.Context(), filter(t, "acc", text), nil, 50)
			require.NoError(t, err, text)
			var got []string
			for _, id := range slices.Backward(ids(page)) {
				got = append(got, names[id])
			}
			require.Equal(t, want, strings.Join(got, " "), text)
			impact, err := s.Impact(t.Context(), filter(t, "acc", text), "")
			require.NoError(t, err, text)
			require.EqualValues(t, len(page.Items), impact.Requests, text)
		}
	}
}

// farApart searches matches that are years apart, and a window with more
// matches than a search reads unordered.
func farApart(t *testing.T, s *store.Store) {
	var made []*record.Record
	for n := range 1500 {
		r := Make("acc", n)
		At(r, Base().AddDate(0, 0, -20).Add(time.Duration(n)*time.Minute))
		r.Code, r.RequestedModel = "OLD", "old"
		made = append(made, r)
	}
	for n, at := range []time.Time{Base(), Base().AddDate(-3, 0, 0), Base().AddDate(-3, 0, -1)} {
		r := Make("acc", 2000+n)
		At(r, at)
		r.Model = "rare"
		made = append(made, r)
	}
	insert(t, s, made...)
	for text, want := range map[string]int{
		"model:rare": 3, "requested_model:old": 1500, "code:OLD": 1500, "-model:small": 3, "rare": 3,
		"model:none": 0, "requested_model:none": 0, "code:OLD -model:small": 0,
	} {
		found := map[string]bool{}
		var last *record.Record
		for page := range eachPage(t, s, filter(t, "acc", text), 200) {
			for i, r := range page.Items {
				require.True(t, last == nil || !r.Time.After(last.Time), text)
				found[r.ID.String()], last = true, &page.Items[i]
			}
		}
		require.Len(t, found, want, text)
	}
}

// stablePages pages through records while newer, older and equally old records
// are stored.
func stablePages(t *testing.T, s *store.Store) {
	want := map[string]bool{}
	for n := range 60 {
		r := Make("acc", n)
		At(r, Base().Add(time.Duration(n/3)*time.Second))
		insert(t, s, r)
		want[r.ID.String()] = true
	}
	for _, text := range []string{"", "model:small", "-model:x"} {
		seen := map[string]int{}
		extra := 1000 * (len(text) + 1)
		for page := range eachPage(t, s, filter(t, "acc", text), 7) {
			for _, id := range ids(page) {
				seen[id]++
			}
			for k := range 3 {
				r := Make("acc", extra)
				At(r, Base().Add(time.Duration(10+20*k)*time.Second))
				insert(t, s, r)
				extra++
			}
		}
		for id, n := range seen {
			require.Equal(t, 1, n)
			delete(want, id)
		}
		require.Empty(t, want)
		for id := range seen {
			want[id] = true
		}
	}
}

// canceled checks the error of a canceled read.
func canceled(t *testing.T, s *store.Store) {
	insert(t, s, Make("acc", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Page(ctx, all("acc"), nil, 10)
	require.Error(t, err)
	_, err = s.Page(ctx, filter(t, "acc", "model:small"), nil, 10)
	require.Error(t, err)
	_, err = s.Impact(ctx, all("acc"), "")
	require.Error(t, err)
}
