package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// evidenceView is the evidence in the detail of a request.
type evidenceView struct {
	Evidence []struct {
		Kind, Source string
		Score        float64
	}
}

// feedbackOf returns the scores of the feedback on a request by source.
func feedbackOf(t *testing.T, c *APIClient, id string) map[string]float64 {
	t.Helper()
	status, body := c.Call(http.MethodGet, "/requests/"+id, nil, nil)
	require.Equal(t, http.StatusOK, status, "%s", body)
	var r evidenceView
	require.NoError(t, json.Unmarshal(body, &r))
	found := map[string]float64{}
	for _, e := range r.Evidence {
		if e.Kind == "feedback" {
			found[e.Source] = e.Score
		}
	}
	return found
}

// Feedback reaches a request of the same account and no other, through the edge and through
// the dashboard.
func TestFeedbackStaysInItsAccount(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		here, there := newTenant(t, box, "ratinghere"), newTenant(t, box, "ratingthere")
		id := here.things["requests"]
		item := func(source string, score float64) string {
			return fmt.Sprintf(`{"request_id":%q,"score":%g,"source":%q}`, id, score, source)
		}
		// The foreign feedback is sent first, so it is stored or discarded when the own one appears.
		for range 2 {
			status, _, answer := there.edge(http.MethodPost, "/feedback", "["+item("thief", 0)+","+item("own", 0)+"]")
			require.Equal(t, http.StatusAccepted, status, answer)
		}
		status, answer := there.people["owner"].Call(http.MethodPost, "/feedback", []map[string]any{{"request_id": id, "score": 0, "source": "import"}}, nil)
		require.Equal(t, http.StatusOK, status, "%s", answer)
		status, answer = there.people["owner"].Call(http.MethodPost, "/requests/"+id+"/feedback", map[string]string{"verdict": "down"}, nil)
		require.Equal(t, http.StatusNotFound, status, "%s", answer)

		for _, score := range []float64{0.25, 0.75} {
			status, _, answer := here.edge(http.MethodPost, "/feedback", item("own", score))
			require.Equal(t, http.StatusAccepted, status, answer)
			require.JSONEq(t, `{"accepted":1}`, answer)
		}
		owner := here.people["owner"].APIClient
		require.Eventually(t, func() bool { return feedbackOf(t, owner, id)["own"] == 0.75 }, waitTimeout, pollInterval)
		// A second request of the other account shows that its feedback was processed.
		other := there.things["requests"]
		status, _, text := there.edge(http.MethodPost, "/feedback", fmt.Sprintf(`{"request_id":%q,"verdict":"up"}`, other))
		require.Equal(t, http.StatusAccepted, status, text)
		require.Eventually(t, func() bool { return len(feedbackOf(t, there.people["owner"].APIClient, other)) == 1 }, waitTimeout, pollInterval)
		require.Equal(t, map[string]float64{"own": 0.75}, feedbackOf(t, owner, id), "a later rating of a source replaces the earlier one; the other account has none")
		require.Equal(t, map[string]float64{"api": 1}, feedbackOf(t, there.people["owner"].APIClient, other))

		status, _, text = here.edge(http.MethodPost, "/feedback", "["+item("own", 1)+`,{"request_id":"x","score":1}]`)
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, text, `"index":1`)
		require.Contains(t, text, `"param":"request_id"`)
	})
}

// After 202, feedback survives kill -9.
func TestFeedbackSurvivesKillNine(t *testing.T) {
	t.Parallel()
	box := Start(t)
	operator := box.SignInOperator()
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	require.NoError(t, err)
	_ = res.Body.Close()
	id := res.Header.Get("X-Request-Id")
	operator.AwaitRecord(id)
	for n := range 20 {
		res, err := box.Post(t.Context(), "/feedback", fmt.Sprintf(`{"request_id":%q,"score":1,"source":"user-%d"}`, id, n))
		require.NoError(t, err)
		_ = res.Body.Close()
		require.Equal(t, http.StatusAccepted, res.StatusCode)
	}
	box.Kill()
	again := box.Restart().SignInOperator()
	require.Eventually(t, func() bool { return len(feedbackOf(t, again, id)) == 20 }, waitTimeout, pollInterval)
}
