package dashboard_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

func TestQualityOfAnAccount(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	other, otherAccount := h.registerUser("other@example.com")
	served := func(account string, n int) *recordv1.RequestRecord {
		return newRecord(account, n, func(r *recordv1.RequestRecord) {
			r.Endpoint, r.Model, r.Outcome = recordv1.Endpoint_ENDPOINT_CHAT, "small", recordv1.Outcome_OUTCOME_OK
		})
	}
	mine, theirs := served(account, 1), served(otherAccount, 2)
	h.publish(mine, theirs)
	require.Equal(t, http.StatusOK, b.api("POST", "/requests/"+idOf(mine)+"/feedback", `{"verdict":"up"}`).status)
	require.Equal(t, http.StatusOK, other.api("POST", "/requests/"+idOf(theirs)+"/feedback", `{"verdict":"down"}`).status)

	at := mine.GetTime().AsTime().Format("2006-01-02")
	report := b.api("GET", "/quality?from="+at, "").json(t)
	items := report["items"].([]any)
	require.Len(t, items, 2, "the model over all tasks, and its only task")
	all := items[0].(map[string]any)
	require.Nil(t, all["task"])
	require.Equal(t, "small", all["model"])
	rated := all["feedback"].(map[string]any)
	require.EqualValues(t, 1, rated["count"])
	require.EqualValues(t, 1, rated["mean"], "the other account's rating does not count")
	require.Greater(t, rated["more"], 10.0, "one rating proves nothing")
	require.EqualValues(t, 1, all["signals"].(map[string]any)["count"])
	require.Empty(t, b.api("GET", "/quality?from=2025-01-01&to=2025-01-02", "").json(t)["items"])
	require.Equal(t, http.StatusBadRequest, b.api("GET", "/quality?filter=x", "").status)
}
