package decidepb

import (
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func fromSession(s *decide.Session) *routerv1.Session {
	if s == nil {
		return nil
	}
	out := &routerv1.Session{
		Last: fromOptional(s.Last), LastAt: s.LastAt, Turns: s.Turns, ToolLoop: s.ToolLoop, SideCall: s.SideCall, MarksCache: s.MarksCache,
		AddedTokens: s.AddedTokens, OutputTokens: s.OutputTokens,
	}
	for _, c := range s.Cached {
		out.Cached = append(out.Cached, &routerv1.CachedPrefix{Candidate: FromCandidate(c.Candidate), Tokens: c.Tokens, Expires: c.Expires})
	}
	return out
}

func toSession(s *routerv1.Session) *decide.Session {
	if s == nil {
		return nil
	}
	out := &decide.Session{
		Last: toOptional(s.GetLast()), LastAt: s.GetLastAt(), Turns: s.GetTurns(), ToolLoop: s.GetToolLoop(), SideCall: s.GetSideCall(), MarksCache: s.GetMarksCache(),
		AddedTokens: s.GetAddedTokens(), OutputTokens: s.GetOutputTokens(),
	}
	for _, c := range s.GetCached()[:min(len(s.GetCached()), decide.MaxCachedPrefixes)] {
		out.Cached = append(out.Cached, decide.CachedPrefix{Candidate: ToCandidate(c.GetCandidate()), Tokens: c.GetTokens(), Expires: c.GetExpires()})
	}
	return out
}
