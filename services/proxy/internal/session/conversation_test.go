package session_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
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
	require.Equal(t, automatic, s.LastFor(main))
	require.Equal(t, charging, s.LastFor(sub))
	require.Equal(t, charging, s.LastFor(other), "an unknown conversation goes on where the session was last")
	s, _ = s.After(turn(automatic, 2, catalog.Usage{Input: 9000}))
	require.Equal(t, charging, s.LastFor(sub), "a turn without tools is in no conversation")
	s, _ = s.After(toolTurn(automatic, 3, sub.OpeningID()))
	require.Equal(t, automatic, s.LastFor(sub))
	require.Len(t, s.Conversations, 2)
}

// After the turn of a sub-agent, a small request of the main conversation is still a turn.
func TestASmallTurnBesideASubAgentIsNoSideCall(t *testing.T) {
	main := parsed(t, workSystem+","+ask, tools)
	s := after(toolTurn(automatic, 0, main.OpeningID()), toolTurn(charging, 1, 7))
	require.False(t, session.IsSideCall(session.Identity{ID: "s", Explicit: true}, "", parsed(t, workSystem+","+ask, ""), s))
}

func TestConversationsAreBounded(t *testing.T) {
	var s *session.State
	for i := range 20 {
		s, _ = s.After(toolTurn(decide.Candidate{Model: "m", Provider: strconv.Itoa(i)}, i, uint64(i+1)))
	}
	require.Len(t, s.Conversations, 8)
	require.Equal(t, "19", s.Conversations[0].Last.Provider, "the newest first")
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
