package session_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

func toolTurn(c decide.Candidate, minute int, opening uint64) *session.Served {
	r := turn(c, minute, catalog.Usage{Input: 2000})
	r.Opening = opening
	return r
}

func TestEveryConversationHasItsLastCandidate(t *testing.T) {
	main, sub := parsed(t, workSystem+","+ask, tools), parsed(t, titleSystem+","+ask, tools)
	other := parsed(t, ask, tools)
	s := after(toolTurn(automatic, 0, main.OpeningID()), toolTurn(charging, 1, sub.OpeningID()))
	require.Equal(t, automatic, *s.QuestionFor(main, start).Last)
	require.Equal(t, charging, *s.QuestionFor(sub, start).Last)
	require.Equal(t, charging, *s.QuestionFor(other, start).Last, "an unknown conversation goes on where the session was last")
	s, _ = s.After(turn(automatic, 2, catalog.Usage{Input: 9000}))
	require.Equal(t, charging, *s.QuestionFor(sub, start).Last, "a turn without tools is in no conversation")
	s, _ = s.After(toolTurn(automatic, 3, sub.OpeningID()))
	require.Equal(t, automatic, *s.QuestionFor(sub, start).Last)
	require.Len(t, s.Conversations, 2)
}

// A sub-agent fills a cache of its own. The cache of its agent stays as it is.
func TestEveryConversationHasItsCache(t *testing.T) {
	main, sub := parsed(t, workSystem+","+ask, tools), parsed(t, titleSystem+","+ask, tools)
	large, small := toolTurn(automatic, 0, main.OpeningID()), toolTurn(automatic, 1, sub.OpeningID())
	large.Usage.Input, small.Usage.Input = 100_000, 5000
	again := toolTurn(automatic, 2, main.OpeningID())
	again.Usage.Input = 101_000
	s := after(large, small)
	tokens := func(r *requestbody.Request) (all []int64) {
		for _, c := range s.QuestionFor(r, start.Add(3*time.Minute)).Cached {
			all = append(all, c.Tokens)
		}
		return all
	}
	require.Equal(t, []int64{100_000}, tokens(main))
	require.Equal(t, []int64{5000}, tokens(sub))
	require.Empty(t, tokens(parsed(t, ask, tools)), "a new conversation")
	changed := parsed(t, ask+`,{"role":"assistant","content":"ok"},`+ask, tools)
	require.Equal(t, []int64{5000, 100_000}, tokens(changed), "an agent that changes the start of its conversation")
	s, _ = s.After(again)
	require.Equal(t, []int64{101_000}, tokens(main))
	require.Equal(t, int64(500), s.AddedTokens, "the turns of a conversation are compared with each other")
}

// After the turn of a sub-agent, a small request of the main conversation is still a turn.
func TestASmallTurnBesideASubAgentIsNoSideCall(t *testing.T) {
	main := parsed(t, workSystem+","+ask, tools)
	s := after(toolTurn(automatic, 0, main.OpeningID()), toolTurn(charging, 1, 7))
	require.False(t, session.IsSideCall(session.Identity{ID: "s", Explicit: true}, "", parsed(t, workSystem+","+ask, ""), s))
}

func TestConversationsAreBounded(t *testing.T) {
	var s *session.State
	for i := range 40 {
		s, _ = s.After(toolTurn(decide.Candidate{Model: "m", Provider: strconv.Itoa(i)}, i, uint64(i+1)))
	}
	require.Len(t, s.Conversations, 16)
	require.Equal(t, "39", s.Conversations[0].Last.Provider, "the newest first")
}

// An agent waits while ten sub-agents work. Then it goes on with its own model and cache.
func TestAnAgentGoesOnAfterManySubAgents(t *testing.T) {
	main := parsed(t, workSystem+","+ask, tools)
	s := after(toolTurn(automatic, 0, main.OpeningID()))
	for i := range 10 {
		s, _ = s.After(toolTurn(charging, 1, uint64(i+1)))
		s, _ = s.After(toolTurn(decide.Candidate{Model: "m", Provider: "p"}, 1, uint64(i+1)))
	}
	q := s.QuestionFor(main, start.Add(2*time.Minute))
	require.Equal(t, automatic, *q.Last)
	require.Equal(t, automatic, q.Cached[0].Candidate)
}

// Two proxies that serve two conversations of a session at the same time know both.
func TestMergedConversations(t *testing.T) {
	begun := after(toolTurn(automatic, 0, 1), toolTurn(automatic, 0, 2))
	one, _ := begun.After(toolTurn(charging, 1, 1))
	two, _ := begun.After(toolTurn(charging, 2, 2))
	for _, m := range []*session.State{session.Merge(one, two), session.Merge(two, one)} {
		require.Len(t, m.Conversations, 2)
		for _, c := range m.Conversations {
			require.Equal(t, charging, c.Last)
		}
	}
}
