package proxy_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/shadow"
)

const autoChat = `{"model":"auto","messages":[{"role":"user","content":"what is a signal box?"}],"user":"ann","stream":false}`

func TestAnExperimentComparesWithoutTheClient(t *testing.T) {
	x := newExperimentRig(t, "large", "judge", "1")
	res, text := x.ask(autoChat)
	require.Contains(t, text, "quality 3", "the client gets the served response")
	x.await(1, 1)

	c := x.comparisons[0].GetComparison()
	require.EqualValues(t, 3, x.comparisons[0].GetSchema())
	require.Equal(t, x.requests[0].GetId(), c.GetRequestId())
	require.Equal(t, "account-true", x.comparisons[0].GetAccountId())
	require.Equal(t, x.requests[0].GetPolicyVersion(), x.comparisons[0].GetPolicyVersion())
	require.Equal(t, []string{"try", "small", "open", "large", "open", "judge", "court", "general"}, []string{
		c.GetExperiment(), c.GetServedModel(), c.GetServedProvider(), c.GetCandidateModel(), c.GetCandidateProvider(), c.GetJudgeModel(), c.GetJudgeProvider(), c.GetTask(),
	})
	require.Equal(t, "judged", c.GetResult())
	require.EqualValues(t, 1000, c.GetScore())
	require.True(t, c.GetConsistent())

	// The costs are those of the vendor, and apart from the client's.
	require.Equal(t, x.vendor.billed["up-large"], c.GetCandidateNanoUsd())
	require.Equal(t, x.vendor.billed["up-judge"], c.GetJudgeNanoUsd())
	require.Equal(t, recordv1.CostBasis_COST_BASIS_FINAL, c.GetCostBasis())
	require.Equal(t, x.vendor.billed["up-small"], x.requests[0].GetCostNanoUsd())
	require.Len(t, x.requests[0].GetAttempts(), 1)
	require.NotContains(t, fmt.Sprint(res.Header), "large")

	// The candidate gets the request without what identifies the end user.
	sent := x.vendor.calls("up-large")
	require.Len(t, sent, 1)
	require.Contains(t, sent[0], "what is a signal box?")
	require.NotContains(t, sent[0], "ann")

	// The judge is blind and sees both orders.
	judged := x.vendor.calls("up-judge")
	require.Len(t, judged, 2)
	order := regexpOrder(t, judged[0])
	require.Equal(t, []string{"3", "8"}, order)
	require.Equal(t, []string{"8", "3"}, regexpOrder(t, judged[1]))
	for _, body := range judged {
		for _, name := range []string{"small", "large", "open", "served", "candidate"} {
			require.NotContains(t, body, name)
		}
	}
}

func regexpOrder(t *testing.T, body string) (order []string) {
	t.Helper()
	for _, found := range qualityOf.FindAllStringSubmatch(body, -1) {
		order = append(order, found[2])
	}
	return order
}

func TestAJudgeThatPrefersAPositionDecidesNothing(t *testing.T) {
	x := newExperimentRig(t, "large", "judge", "1")
	x.vendor.biased = true
	x.ask(autoChat)
	x.await(1, 1)
	c := x.comparisons[0].GetComparison()
	require.Equal(t, "judged", c.GetResult())
	require.Zero(t, c.GetScore())
	require.False(t, c.GetConsistent())
}

func TestAStreamIsCompared(t *testing.T) {
	x := newExperimentRig(t, "large", "judge", "1")
	x.ask(strings.Replace(autoChat, `"stream":false`, `"stream":true,"stream_options":{"include_usage":true}`, 1))
	x.await(1, 1)
	require.EqualValues(t, 1000, x.comparisons[0].GetComparison().GetScore())
	var sent map[string]any
	require.NoError(t, json.Unmarshal([]byte(x.vendor.calls("up-large")[0]), &sent))
	require.NotContains(t, sent, "stream_options")
	require.NotEqual(t, true, sent["stream"])
}

// Only requests with the capture full of accounts that allow experiments reach a candidate or
// a judge. Each request has its own canary, which is searched in every body and file.
func TestOnlyAllowedTextIsSampled(t *testing.T) {
	x := newExperimentRig(t, "large", "judge", "1")
	key := func(allow bool, c keyauthv1.Capture) string {
		return x.addKey(allow, &keyauthv1.KeySettings{Capture: c})
	}
	const last = "canary-sampled"
	for i, tt := range []struct {
		canary, key, header string
	}{
		{"canary-not-allowed", key(false, full), ""},
		{"canary-redacted", key(true, redacted), ""},
		{"canary-none", key(true, none), ""},
		{"canary-header-none", key(true, full), "none"},
		{"canary-header-redacted", key(true, full), "redacted"},
		{last, key(true, full), ""},
	} {
		x.key = tt.key
		x.ask(`{"model":"auto","messages":[{"role":"user","content":"`+tt.canary+`"}]}`, "X-Signalbox-Capture: "+tt.header)
		if tt.canary != last {
			x.await(i+1, 0)
		}
	}
	x.await(6, 1)
	x.stop() // everything that was queued has run or was dropped
	require.Len(t, x.comparisons, 1)
	require.Contains(t, x.vendor.calls("up-large")[0], last)
	for _, model := range []string{"up-large", "up-judge"} {
		for _, body := range x.vendor.calls(model) {
			require.Equal(t, strings.Count(body, "canary-"), strings.Count(body, last), body)
		}
	}
	for _, r := range x.comparisons {
		require.NotContains(t, fmt.Sprint(r), "canary")
	}
	require.NoError(t, filepath.WalkDir(x.cfg.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		require.NotContains(t, string(data), "canary-none", path)
		require.NotContains(t, string(data), "an answer of quality 8", path)
		return err
	}))
}

// The candidate and the judge pass the filters of the request, and requests that a provider
// could act on again are not repeated.
func TestShadowCallsPassTheFiltersOfTheRequest(t *testing.T) {
	const chat = `{"model":"auto","messages":[{"role":"user","content":"x"}]%s}`
	for name, tt := range map[string]struct {
		candidates, judge string
		settings          *keyauthv1.KeySettings
		fields            string
	}{
		"residency of the candidate":  {"away", "judge", &keyauthv1.KeySettings{Tags: []string{"eu"}}, ""},
		"residency of the judge":      {"large", "away", &keyauthv1.KeySettings{Tags: []string{"eu"}}, ""},
		"the key's models: candidate": {"large", "judge", &keyauthv1.KeySettings{Models: []string{"auto", "small", "judge"}}, ""},
		"the key's models: judge":     {"large", "judge", &keyauthv1.KeySettings{Models: []string{"auto", "small", "large"}}, ""},
		"what the request needs":      {"away", "judge", &keyauthv1.KeySettings{}, `,"tools":[{"type":"function","function":{"name":"f"}}]`},
		"a tool of the provider":      {"large", "judge", &keyauthv1.KeySettings{}, `,"tools":[{"type":"web_search"}]`},
		"a search of the provider":    {"large", "judge", &keyauthv1.KeySettings{}, `,"web_search_options":{}`},
		"an option that is not known": {"large", "judge", &keyauthv1.KeySettings{}, `,"plugins":[{"id":"web"}]`},
		"the candidate has served it": {"small", "judge", &keyauthv1.KeySettings{}, ""},
		"several responses at a time": {"large", "judge", &keyauthv1.KeySettings{}, `,"n":2`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExperimentRig(t, tt.candidates, tt.judge, "1")
			ok := x.key
			x.key = x.addKey(true, tt.settings)
			x.ask(fmt.Sprintf(chat, tt.fields))
			x.await(1, 0)
			if tt.candidates == "large" && tt.judge == "judge" {
				// The queue is in order: when the second one was compared, the first one was not.
				x.key = ok
				x.ask(autoChat)
				x.await(2, 1)
				require.Equal(t, x.requests[1].GetId(), x.comparisons[0].GetComparison().GetRequestId())
				require.Len(t, x.vendor.calls("up-large"), 1)
				return
			}
			x.stop()
			require.Empty(t, x.vendor.calls("up-judge"))
			require.Empty(t, x.vendor.calls("up-away"))
			require.Empty(t, x.vendor.calls("up-large"))
		})
	}
}

// Fifty concurrent clients cannot make the experiment exceed its limit, and the ledger has
// what the vendor billed.
func TestTheDailyLimitHoldsForACrowd(t *testing.T) {
	const limit = 16_000_000 // nano-USD; a comparison costs about 1.2 million, and can cost almost all of it
	x := newExperimentRig(t, "large", "judge", "0.016")
	var crowd sync.WaitGroup
	for range 50 {
		crowd.Go(func() {
			res, _ := x.call("POST", chatPath, autoChat)
			require.Equal(t, 200, res.StatusCode)
		})
	}
	crowd.Wait()
	x.await(50, 1)
	require.Eventually(t, func() bool {
		dropped := int(x.svc.DroppedSamples()[shadow.NoBudget])
		return dropped > 0 && len(x.vendor.calls("up-large"))+dropped == 50
	}, patience, time.Millisecond, "the limit stops the experiment")
	x.await(50, len(x.vendor.calls("up-large")))
	require.Equal(t, x.vendor.bill("up-large", "up-judge"), x.booked(), "the ledger has what the vendor billed")
	require.LessOrEqual(t, x.booked(), int64(limit))
	var clients int64
	for _, r := range x.requests {
		clients += r.GetCostNanoUsd()
	}
	require.Equal(t, x.vendor.bill("up-small"), clients, "clients pay only for their own responses")
}

// booked returns what the comparisons cost according to their records.
func (x *experimentRig) booked() (nano int64) {
	for _, r := range x.comparisons {
		nano += r.GetComparison().GetCandidateNanoUsd() + r.GetComparison().GetJudgeNanoUsd()
	}
	return nano
}

// A shutdown cancels running comparisons at once, and their results say so.
func TestAShutdownDoesNotWaitForExperiments(t *testing.T) {
	x := newExperimentRig(t, "large", "judge", "1")
	x.vendor.hang = "up-large"
	x.ask(autoChat)
	require.Eventually(t, func() bool { return len(x.vendor.calls("up-large")) == 1 }, patience, time.Millisecond)
	x.await(1, 0)
	x.stop()
	require.Empty(t, x.vendor.calls("up-judge"))
}
