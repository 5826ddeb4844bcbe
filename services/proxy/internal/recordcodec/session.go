package recordcodec

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/decide"
)

func (e *encoder) writeSession(field protowire.Number, s *decide.Session) {
	at := e.openMessage(field)
	if s.Last != nil {
		e.writeText(1, s.Last.Model)
		e.writeText(2, s.Last.Provider)
	}
	e.writeInt(3, s.LastAt)
	e.writeInt(4, s.Turns)
	e.writeBool(5, s.ToolLoop)
	e.writeBool(6, s.SideCall)
	e.writeBool(7, s.MarksCache)
	e.writeInt(8, s.AddedTokens)
	e.writeInt(9, s.OutputTokens)
	for i := range s.Cached {
		c := &s.Cached[i]
		entry := e.openMessage(10)
		e.writeText(1, c.Candidate.Model)
		e.writeText(2, c.Candidate.Provider)
		e.writeInt(3, c.Tokens)
		e.writeInt(4, c.Expires)
		e.closeMessage(entry)
	}
	e.closeMessage(at)
}
