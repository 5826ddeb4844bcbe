package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// maxConversations is the maximum length of State.Conversations. It is above the number of
// sub-agents that agents run at the same time: while an agent waits for them, its own
// conversation is the oldest one.
const maxConversations = 16

// maxCached is the maximum length of State.Cached.
const maxCached = 16

// Conversation is a part of a session with its own history. Sub-agents have the session id of
// their agent, but each of them has a conversation and tool loops of its own.
type Conversation struct {
	// Opening identifies the start of the conversation. All its turns offered tools.
	Opening uint64
	// Last is the candidate that served the last turn.
	Last decide.Candidate
	// At is when the last turn ended, in Unix milliseconds.
	At int64
	// Input is the number of input tokens of the last turn.
	Input int64
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

// QuestionFor is like Question, but for the conversation of a request: its last candidate,
// and what is cached of it. An unknown conversation with a history counts as the last one of the
// session, because agents may change the start of a conversation. Nothing is cached of a new one.
func (s *State) QuestionFor(r *requestbody.Request, now time.Time) *decide.Session {
	isOther := func(c Conversation) bool { return c.Opening != s.Conversations[0].Opening || c.Last != s.Last }
	if len(s.Conversations) == 0 || r.HasHistory && !slices.ContainsFunc(s.Conversations, isOther) {
		return s.Question(now)
	}
	view, opening := *s, r.OpeningID()
	c := s.findConversation(opening)
	if c != nil {
		view.Last = c.Last
	}
	if c != nil || !r.HasHistory {
		view.Cached = slices.DeleteFunc(slices.Clone(s.Cached), func(p CachedPrefix) bool { return p.Opening != opening && p.Opening != 0 })
	}
	return view.Question(now)
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
