package codec

import (
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func sessionFromProto(s *recordv1.Session) *record.SessionState {
	if s == nil {
		return nil
	}
	out := &record.SessionState{
		LastModel: limitText(s.GetLastModel()), LastProvider: limitText(s.GetLastProvider()), LastAt: s.GetLastAt(), Turns: s.GetTurns(),
		ToolLoop: s.GetToolLoop(), SideCall: s.GetSideCall(), MarksCache: s.GetMarksCache(),
		AddedTokens: s.GetAddedTokens(), OutputTokens: s.GetOutputTokens(),
	}
	for _, c := range firstItems(s.GetCached(), maxListItems) {
		out.Cached = append(out.Cached, record.CachedPrefix{
			Model: limitText(c.GetModel()), Provider: limitText(c.GetProvider()), Tokens: c.GetTokens(), Expires: c.GetExpires(),
		})
	}
	return out
}

func sessionToProto(s *record.SessionState) *recordv1.Session {
	if s == nil {
		return nil
	}
	out := &recordv1.Session{
		LastModel: toValidUTF8(s.LastModel), LastProvider: toValidUTF8(s.LastProvider), LastAt: s.LastAt, Turns: s.Turns,
		ToolLoop: s.ToolLoop, SideCall: s.SideCall, MarksCache: s.MarksCache,
		AddedTokens: s.AddedTokens, OutputTokens: s.OutputTokens,
	}
	for _, c := range s.Cached {
		out.Cached = append(out.Cached, &recordv1.CachedPrefix{
			Model: toValidUTF8(c.Model), Provider: toValidUTF8(c.Provider), Tokens: c.Tokens, Expires: c.Expires,
		})
	}
	return out
}
