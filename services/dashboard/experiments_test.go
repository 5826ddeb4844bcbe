package dashboard_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// An account sees the results of its own experiments, which change none of its costs.
func TestExperimentsOfAnAccount(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	other, otherAccount := h.registerUser("other@example.com")
	served := newRecord(account, 1, nil)
	h.publish(served)
	at := served.GetTime().AsTime().Format("2006-01-02")
	before := b.api("GET", "/impact?from="+at, "").body
	compared := func(account string, n int, score int64) *recordv1.RequestRecord {
		return newRecord(account, n, func(r *recordv1.RequestRecord) {
			*r = recordv1.RequestRecord{Schema: 3, Id: r.GetId(), AccountId: account, Time: r.GetTime(), Comparison: &recordv1.Comparison{
				RequestId: served.GetId(), Experiment: "try", Task: "code", ServedModel: "small", CandidateModel: "large", CandidateEffort: "low",
				JudgeModel: "large", Result: "judged", Score: score, Consistent: true, CandidateNanoUsd: proto.Int64(70), JudgeNanoUsd: proto.Int64(30),
			}}
		})
	}
	stopped, failed := compared(account, 5, 0), compared(account, 6, 0)
	stopped.Comparison.Result, failed.Comparison.Result = "stopped", "judge_failed"
	h.publish(compared(account, 2, 1000), compared(account, 3, -500), compared(otherAccount, 4, 1000), stopped, failed)

	report := b.api("GET", "/experiments?from="+at, "").json(t)
	require.InDelta(t, 0.02, report["margin"], 1e-9)
	items := report["items"].([]any)
	require.Len(t, items, 2, "the pair over all tasks, and its only task")
	all := items[0].(map[string]any)
	require.Nil(t, all["task"])
	require.Equal(t, "large#low", all["candidate"])
	require.EqualValues(t, 2, all["count"], "the other account's comparison does not count")
	require.InDelta(t, 0.25, all["difference"], 1e-9)
	require.EqualValues(t, 1, all["candidate_wins"])
	require.EqualValues(t, 1, all["served_wins"])
	require.Equal(t, []any{1., 1.}, []any{all["failed"], all["stopped"]}, "a stopped comparison is no failure")
	require.EqualValues(t, 280, all["candidate_cost_nano_usd"])
	require.EqualValues(t, 120, all["judge_cost_nano_usd"])
	require.Equal(t, "not_enough_data", all["verdict"])
	require.Greater(t, all["more"], 10.0)
	require.Equal(t, true, all["judge_is_compared"])
	require.Equal(t, before, b.api("GET", "/impact?from="+at, "").body, "costs and savings are those of clients")
	require.Len(t, other.api("GET", "/experiments?from="+at, "").json(t)["items"], 2)
	require.NotEqual(t, uuid.Nil.String(), idOf(served))
}
