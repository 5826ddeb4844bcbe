package session

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// maxConversations is the maximum length of State.Conversations. Agents run a few sub-agents at
// the same time.
const maxConversations = 8

// Conversation is a part of a session with its own history. Sub-agents have the session id of
// their agent, but each of them has a conversation and tool loops of its own.
type Conversation struct {
	// Opening identifies the start of the conversation. All its turns offered tools.
	Opening uint64
	// Last is the candidate that served the last turn.
	Last decide.Candidate
	// At is when the last turn ended, in Unix milliseconds.
	At int64
}

// findConversation returns the conversation with an opening, or nil.
func (s *State) findConversation(opening uint64) *Conversation {
	for i := range s.Conversations {
		if s.Conversations[i].Opening == opening {
			return &s.Conversations[i]
		}
	}
	return nil
}

// LastFor returns the candidate that served the last turn of the request's conversation. It
// is the last one of the session if the conversation is unknown.
func (s *State) LastFor(r *requestbody.Request) decide.Candidate {
	isOther := func(c Conversation) bool { return c.Last != s.Last }
	if !slices.ContainsFunc(s.Conversations, isOther) {
		return s.Last // also for an unknown conversation, so its opening is not needed
	}
	if c := s.findConversation(r.OpeningID()); c != nil {
		return c.Last
	}
	return s.Last
}

// mergeConversations returns the last turn of every conversation in both lists, the newest
// first.
func mergeConversations(a, b []Conversation) []Conversation {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y Conversation) int { return cmp.Compare(y.At, x.At) })
	merged := all[:0]
	for _, c := range all {
		isKnown := slices.ContainsFunc(merged, func(m Conversation) bool { return m.Opening == c.Opening })
		if !isKnown && len(merged) < maxConversations {
			merged = append(merged, c)
		}
	}
	return merged
}
