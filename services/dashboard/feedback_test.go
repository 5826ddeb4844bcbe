package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// evidenceOf returns the evidence in the detail of a request.
func evidenceOf(t *testing.T, b *browser, id string) []any {
	t.Helper()
	a := b.api("GET", "/requests/"+id, "")
	require.Equal(t, http.StatusOK, a.status, a.body)
	return a.json(t)["evidence"].([]any)
}

func TestAUserRatesARequest(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	r := newRecord(account, 1, nil)
	h.publish(r)
	id := idOf(r)
	require.Empty(t, evidenceOf(t, b, id))
	for _, verdict := range []string{"up", "down"} { // the second replaces the first
		a := b.api("POST", "/requests/"+id+"/feedback", `{"verdict":"`+verdict+`","reason":"as `+verdict+`"}`)
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	got := evidenceOf(t, b, id)
	require.Len(t, got, 1)
	one := got[0].(map[string]any)
	require.Equal(t, "dashboard:a@example.com", one["source"])
	require.Equal(t, "as down", one["reason"])
	require.EqualValues(t, 0, one["score"])

	for body, param := range map[string]string{`{}`: "score", `{"score":2}`: "score", `{"verdict":"x"}`: "verdict", `{"verdict":"up","source":"x"}`: "source"} {
		a := b.api("POST", "/requests/"+id+"/feedback", body)
		require.Equal(t, http.StatusBadRequest, a.status, body)
		require.Equal(t, param, a.json(t)["details"].(map[string]any)["param"], body)
	}
	require.Equal(t, http.StatusNotFound, b.api("POST", "/requests/x/feedback", `{"verdict":"up"}`).status)

	other, _ := h.registerUser("other@example.com")
	require.Equal(t, http.StatusNotFound, other.api("POST", "/requests/"+id+"/feedback", `{"verdict":"up"}`).status)
	require.Len(t, evidenceOf(t, b, id), 1)
}

func TestFeedbackIsImported(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	other, _ := h.registerUser("other@example.com")
	r := newRecord(account, 1, nil)
	h.publish(r)
	id := idOf(r)
	list := `[{"request_id":"` + id + `","score":0.25},{"request_id":"` + id + `","verdict":"up","source":"survey"}]`
	for _, who := range []*browser{b, other} { // the other account may not, but does not learn so
		a := who.api("POST", "/feedback", list)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.EqualValues(t, 2, a.json(t)["accepted"])
	}
	got := evidenceOf(t, b, id)
	require.Len(t, got, 2)
	sources := []any{got[0].(map[string]any)["source"], got[1].(map[string]any)["source"]}
	require.ElementsMatch(t, []any{"import", "survey"}, sources)

	a := b.api("POST", "/feedback", strings.Replace(list, `"up"`, `"good"`, 1))
	require.Equal(t, http.StatusBadRequest, a.status)
	details := a.json(t)["details"].(map[string]any)
	require.Equal(t, "verdict", details["param"])
	require.EqualValues(t, 1, details["index"])
}
