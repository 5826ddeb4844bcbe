package policies

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// What a record knows of its session reaches the decision unchanged.
func TestARecordedSessionIsReplayed(t *testing.T) {
	small, large := decide.Candidate{Model: "small", Provider: "one"}, decide.Candidate{Model: "large", Provider: "two"}
	r := &record.Record{Endpoint: "chat", RequestedModel: "auto", Inputs: &record.DecisionInputs{Session: &record.SessionState{
		LastModel: "small", LastProvider: "one", LastAt: 1_794_700_000, Turns: 7, ToolLoop: true, SideCall: true, MarksCache: true, AddedTokens: 900, OutputTokens: 400,
		Cached: []record.CachedPrefix{{Model: "small", Provider: "one", Tokens: 5000, Expires: 1_794_700_300}, {Model: "large", Provider: "two", Tokens: 4000, Expires: 1_794_700_200}},
	}}}
	q, err := decidepb.ToQuestion(toReplayRequest(r).GetQuestion())
	require.NoError(t, err)
	require.Equal(t, &decide.Session{
		Last: &small, LastAt: 1_794_700_000, Turns: 7, ToolLoop: true, SideCall: true, MarksCache: true, AddedTokens: 900, OutputTokens: 400,
		Cached: []decide.CachedPrefix{{Candidate: small, Tokens: 5000, Expires: 1_794_700_300}, {Candidate: large, Tokens: 4000, Expires: 1_794_700_200}},
	}, q.Session)

	r.Inputs.Session.LastModel, r.Inputs.Session.LastProvider = "", ""
	q, err = decidepb.ToQuestion(toReplayRequest(r).GetQuestion())
	require.NoError(t, err)
	require.Nil(t, q.Session.Last)

	r.Inputs.Session = nil
	q, err = decidepb.ToQuestion(toReplayRequest(r).GetQuestion())
	require.NoError(t, err)
	require.Nil(t, q.Session)
}

// The maximum cost, the client's own effort and the effort of the chosen candidate reach the
// replay. The health belongs to the endpoint.
func TestRecordedLimitsAndEffortsAreReplayed(t *testing.T) {
	limit := int64(0)
	r := &record.Record{
		Endpoint: "chat", RequestedModel: "auto", Inputs: &record.DecisionInputs{MaxCost: &limit, OwnEffort: true},
		Candidates: []record.Candidate{{Model: "small", Provider: "one", Effort: "low", Verdict: decide.Chosen, DownReason: "breaker open"}},
	}
	m := toReplayRequest(r)
	q, err := decidepb.ToQuestion(m.GetQuestion())
	require.NoError(t, err)
	require.Equal(t, decide.KnownInt(0), q.MaxCost)
	require.True(t, q.OwnEffort)
	require.Equal(t, decide.Candidate{Model: "small", Provider: "one", Effort: "low"}, decidepb.ToCandidate(m.GetChosen()))
	require.Equal(t, decide.Candidate{Model: "small", Provider: "one"}, decidepb.ToCandidate(m.GetHealth()[0].GetCandidate()))
	require.Equal(t, "low", recordedDecision(r, nil).Candidate.Effort)

	r.Inputs.MaxCost = nil
	q, err = decidepb.ToQuestion(toReplayRequest(r).GetQuestion())
	require.NoError(t, err)
	require.False(t, q.MaxCost.Known)
}
