package dashboard_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// TestTheOperatorSeesDeadLetters also checks that their bytes are not shown.
func TestTheOperatorSeesDeadLetters(t *testing.T) {
	h := newTestEnv(t, "")
	operator := h.claimOperator()
	h.publish(
		newRecord("acc_1", 1, func(r *recordv1.RequestRecord) { r.Schema, r.Error = 99, "their words" }),
		newRecord("", 2, nil),
		newRecord("acc_1", 3, nil),
	)
	a := operator.api("GET", "/dead-letters", "")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.NotContains(t, a.body, "their words")
	items := a.json(t)["items"].([]any)
	require.Len(t, items, 2)
	newer, broken := items[0].(map[string]any), items[1].(map[string]any)
	require.NotEmpty(t, newer["received_at"])
	require.Positive(t, newer["bytes"])
	for key, want := range map[string][2]any{
		"producer": {"proxy-1", "proxy-1"}, "seq": {1.0, 2.0}, "parked": {true, false}, "schema": {99.0, nil},
		"reason": {"schema 99 is newer than this version supports", "the record has no account id"},
	} {
		require.Equal(t, want, [2]any{newer[key], broken[key]}, key)
	}
	require.Len(t, operator.api("GET", "/dead-letters?limit=1", "").json(t)["items"], 1)
	operator.api("GET", "/dead-letters?limit=0", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")

	for body, left := range map[string]float64{`{}`: 1, `{"all":false}`: 1, `{"all":true}`: 2} {
		a := operator.api("POST", "/dead-letters/replay", body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, map[string]any{"done": 0.0, "left": left}, a.json(t), body)
	}
	operator.api("POST", "/dead-letters/replay", `{"every":true}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}
