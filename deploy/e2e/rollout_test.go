package e2e

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/rollout"
)

const (
	stablePolicy    = "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-small}]}}\n"
	rolledOutPolicy = "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-large}]}}\n"
	// brokenModel makes the only model of rolledOutPolicy fail.
	brokenModel = `,"x_sandbox":{"models":{"sandbox-large":{"status":500}}}`
	// maxTraffic is 60 s of traffic at 20 requests/s.
	maxTraffic = 60 * 20
)

// rolloutView is a rollout in the API.
type rolloutView struct {
	ID, State, Reason string
	Share             int32
	StableVersion     string `json:"stable_version"`
	CandidateVersion  string `json:"candidate_version"`
	StableRequests    int64  `json:"stable_requests"`
	CandidateRequests int64  `json:"candidate_requests"`
	Events            []struct{ Action, Author, Reason string }
}

// rolloutRig sends traffic while a rollout is open.
type rolloutRig struct {
	*Gateway
	t        *testing.T
	operator *APIClient
	account  string
	// pause is the time between two requests.
	pause         time.Duration
	sent, touched int
}

func newRolloutRig(t *testing.T, box *Gateway) *rolloutRig {
	r := &rolloutRig{Gateway: box, t: t, operator: box.SignInOperator()}
	if perSecond, err := strconv.Atoi(os.Getenv("SIGNALBOX_E2E_ROLLOUT_RATE")); err == nil && perSecond > 0 {
		r.pause = time.Second / time.Duration(perSecond)
	}
	var account struct{ ID string }
	r.call(http.MethodGet, "/account", nil, &account)
	r.account = account.ID
	r.call(http.MethodPost, "/policy/publish", map[string]string{"document": stablePolicy}, nil)
	return r
}

func (r *rolloutRig) call(method, path string, body, out any) {
	r.t.Helper()
	status, response := r.operator.Call(method, path, body, out)
	require.Less(r.t, status, 300, "%s", response)
}

func (r *rolloutRig) latest() rolloutView {
	var list struct{ Items []rolloutView }
	r.call(http.MethodGet, "/rollouts", nil, &list)
	require.NotEmpty(r.t, list.Items)
	return list.Items[0]
}

// send sends one request of a new session and returns its id. It checks that the hash of the
// session chooses the version: all sessions that it does not choose are served by the stable
// version.
func (r *rolloutRig) send(more string, of *rolloutView) string {
	r.t.Helper()
	if r.pause > 0 {
		<-time.After(r.pause) // the rate of the traffic
	}
	r.sent++
	res, err := r.Post(r.t.Context(), "/chat/completions", fmt.Sprintf(`{"model":"auto","messages":[{"role":"user","content":"question %d"}]%s}`, r.sent, more))
	require.NoError(r.t, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(r.t, err)
	_ = res.Body.Close()
	isStable := res.Header.Get("X-Signalbox-Model") == "sandbox-small"
	if !isStable {
		r.touched++
		require.True(r.t, rollout.InShare(of.ID, of.Share, r.account, res.Header.Get("X-Signalbox-Session")), "status %d", res.StatusCode)
	}
	require.Equal(r.t, !isStable && more != "", res.StatusCode >= 500, "status %d", res.StatusCode)
	return res.Header.Get("X-Request-Id")
}

// awaitShare sends requests until the proxies serve the candidate version.
func (r *rolloutRig) awaitShare(of *rolloutView) {
	before := r.touched
	for r.touched == before && r.sent < 10*maxTraffic {
		r.send("", of)
	}
	require.Greater(r.t, r.touched, before)
}

// A canary that breaks at 10 % is rolled back within 60 s of traffic at 20 requests/s, and has
// touched at most its share. The rollout survives kill -9 of the processes that control it.
// SIGNALBOX_E2E_ROLLOUT_RATE=20 sends the traffic at that rate and prints the time.
func TestABrokenCanaryIsRolledBack(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) *Gateway{
		"all in one": func(t *testing.T) *Gateway { return Start(t) },
		"split":      func(t *testing.T) *Gateway { return StartSplit(t, "--proxies", "2", "--routers", "2") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRolloutRig(t, start(t))
			var view rolloutView
			r.call(http.MethodPost, "/rollouts", map[string]any{
				"document": rolledOutPolicy, "note": "larger", "guardrails": map[string]any{"manual": true, "cost_percent": 1000, "latency_percent": 1000, "quality_points": 500},
			}, &view)
			require.Equal(t, []any{"running", int32(100)}, []any{view.State, view.Share})
			r.call(http.MethodPost, "/rollouts/"+view.ID+"/advance", map[string]any{}, &view)
			require.EqualValues(t, 1000, view.Share)
			r.awaitShare(&view)
			if name == "split" {
				for _, victim := range []string{"dashboard", "router", "router-2"} {
					require.NoError(t, syscall.Kill(r.running(victim), syscall.SIGKILL))
				}
				require.Eventually(t, r.dashboardWorks, waitTimeout, pollInterval)
				r.awaitShare(&view)
			}
			r.breakCanary(&view)
		})
	}
}

// dashboardWorks reports whether the dashboard and its router answer again.
func (r *rolloutRig) dashboardWorks() bool {
	res, err := r.operator.client.Get(r.Dashboard + "/api/v1/rollouts")
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func (r *rolloutRig) breakCanary(of *rolloutView) {
	r.sent, r.touched = 0, 0
	began := time.Now()
	for r.sent < maxTraffic {
		r.send(brokenModel, of)
		// Stop when the failures suffice for certain. The rest of the 60 s is traffic after the rollback.
		if r.pause == 0 && r.touched == 20 {
			break
		}
		if r.pause > 0 && r.sent%20 == 0 && r.latest().State == "rolled_back" {
			r.t.Logf("rolled back after %s and %d requests, of which the canary served %d", time.Since(began).Round(time.Second/10), r.sent, r.touched)
			break
		}
	}
	require.Eventually(r.t, func() bool { return r.latest().State == "rolled_back" }, waitTimeout, pollInterval)
	last := r.latest()
	require.Contains(r.t, last.Reason, "Error rate")
	require.Equal(r.t, []string{"roll_back", "", last.Reason}, []string{last.Events[0].Action, last.Events[0].Author, last.Events[0].Reason})

	require.Eventually(r.t, func() bool { // until all proxies know it
		before := r.touched
		for range 100 {
			r.send(brokenModel, of)
		}
		return r.touched == before
	}, waitTimeout, pollInterval)
	touched := r.touched
	for r.sent < maxTraffic {
		r.send(brokenModel, of)
	}
	require.Equal(r.t, touched, r.touched, "nothing is served by the canary after the rollback")
	require.LessOrEqual(r.t, r.touched, maxTraffic/10, "at most its share of the requests")
	r.requireAudited(last)
}

// requireAudited checks the audit log and the records.
func (r *rolloutRig) requireAudited(last rolloutView) {
	var log struct {
		Items []struct {
			Action string
			After  map[string]any
		}
	}
	require.Eventually(r.t, func() bool {
		r.call(http.MethodGet, "/audit", nil, &log)
		return len(log.Items) > 0 && log.Items[0].Action == "rollout.roll_back"
	}, waitTimeout, pollInterval)
	require.Equal(r.t, []any{last.Reason, true}, []any{log.Items[0].After["reason"], log.Items[0].After["automatic"]})
	seen := map[string]int{}
	for _, e := range log.Items {
		if strings.HasPrefix(e.Action, "rollout.") {
			seen[e.Action]++
		}
	}
	require.Equal(r.t, map[string]int{"rollout.start": 1, "rollout.advance": 1, "rollout.roll_back": 1}, seen, "each event once")
	require.Positive(r.t, last.CandidateRequests)
	require.Greater(r.t, last.StableRequests, last.CandidateRequests)
}

// sendAs sends a request of a session and returns the version that decided it.
func (r *rolloutRig) sendAs(session string) string {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.Base+"/proxy/v1/chat/completions",
		strings.NewReader(`{"model":"auto","messages":[{"role":"user","content":"hello"}]}`))
	require.NoError(r.t, err)
	req.Header.Set("Authorization", "Bearer "+r.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Signalbox-Session", session)
	res, err := edgeClient.Do(req)
	require.NoError(r.t, err)
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	require.Equal(r.t, http.StatusOK, res.StatusCode)
	return res.Header.Get("X-Signalbox-Policy")
}

// sessionsOf returns 25 sessions that a share selects or does not select.
func (r *rolloutRig) sessionsOf(id string, share int32, step int, selected bool) (all []string) {
	for i := 0; len(all) < 25; i++ {
		session := fmt.Sprintf("step %d session %d", step, i)
		if rollout.InShare(id, share, r.account, session) == selected {
			all = append(all, session)
		}
	}
	return all
}

// awaitSharedBy waits until the proxy knows the share, which it learns after the router. Each try is
// another session, because a session keeps its version.
func (r *rolloutRig) awaitSharedBy(view rolloutView, share int32) {
	i := 0
	require.Eventually(r.t, func() bool {
		session := ""
		for selected := false; !selected; i++ {
			session = fmt.Sprintf("share %d try %d", share, i)
			selected = rollout.InShare(view.ID, share, r.account, session)
		}
		return r.sendAs(session) == view.CandidateVersion
	}, waitTimeout, pollInterval)
}

// A candidate that is as good as the stable version takes all steps by itself and becomes
// active. A session keeps the version that it was once served by.
func TestAGoodCandidateIsRolledOut(t *testing.T) {
	t.Parallel()
	r := newRolloutRig(t, Start(t))
	var view rolloutView
	r.call(http.MethodPost, "/rollouts", map[string]any{"document": rolledOutPolicy, "guardrails": map[string]any{
		"step_seconds": 1, "min_requests": 20, "cost_percent": 1000, "latency_percent": 1000, "quality_points": 500, "error_points": 500,
	}}, &view)
	var canary string // a session that the first step selects
	for n, share := range []int32{100, 1000, 5000} {
		require.Eventually(t, func() bool { return r.latest().Share == share }, waitTimeout, pollInterval)
		// The stable version first: with enough requests of both, the rollout advances.
		for _, session := range r.sessionsOf(view.ID, share, n, false) {
			require.Equal(t, view.StableVersion, r.sendAs(session))
		}
		r.awaitSharedBy(view, share)
		for _, session := range r.sessionsOf(view.ID, share, n, true) {
			require.Equal(t, view.CandidateVersion, r.sendAs(session))
			canary = cmp.Or(canary, session)
		}
		require.Equal(t, view.CandidateVersion, r.sendAs(canary), "it keeps its version")
	}
	require.Eventually(t, func() bool { return r.latest().State == "completed" }, waitTimeout, pollInterval)
	var policy struct {
		Version struct{ Version, Origin string }
	}
	r.call(http.MethodGet, "/policy", nil, &policy)
	require.Equal(t, []string{view.CandidateVersion, "rollout"}, []string{policy.Version.Version, policy.Version.Origin})
	require.Eventually(t, func() bool { return r.sendAs("another") == view.CandidateVersion }, waitTimeout, pollInterval)
}
