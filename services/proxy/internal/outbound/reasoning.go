package outbound

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// effortNone is the effort that switches reasoning off.
const effortNone = "none"

// editReasoningEffort translates reasoning_effort for the upstream and reports
// whether a member is sent in its place. If the client also sent the upstream's own
// member, that member takes precedence.
func (e *bodyEditor) editReasoningEffort(p *requestbody.Member) (stays bool) {
	at, v := valueSpan(e.req, p), e.req.MemberValue(p)
	if !jsonscan.IsString(v) {
		return !jsonscan.IsNull(v)
	}
	effort := jsonscan.DecodeText(v)
	if to := e.wire.Values["reasoning_effort"][effort]; to != "" {
		effort = to
		v = quoteString(to)
		e.replaceSpan(at, v)
	}
	off := effort == effortNone
	switch e.wire.Reasoning {
	case catalog.ReasoningObject:
		return e.replaceMember(p, "reasoning", `"reasoning":{"effort":`+string(v)+`}`)
	case catalog.ReasoningSwitch:
		return e.replaceMember(p, "reasoning", `"reasoning":{"enabled":`+selectString(off, "false", "true")+`}`)
	case catalog.ThinkingSwitch:
		return e.replaceMember(p, "thinking", thinkingMember(off))
	case catalog.ThinkingEffort:
		if off {
			return e.replaceMember(p, "thinking", thinkingMember(off))
		}
		if e.req.FindMember("thinking") == nil {
			e.replaceSpan(span{int(p.NameStart), int(p.NameStart)}, []byte(thinkingMember(off)+","))
		}
	}
	return true
}

func thinkingMember(off bool) string {
	return `"thinking":{"type":"` + selectString(off, "disabled", "enabled") + `"}`
}

func selectString(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// replaceMember replaces a member with the member called name. It returns false if
// the client already sent a member of that name.
func (e *bodyEditor) replaceMember(p *requestbody.Member, name, text string) bool {
	if e.req.FindMember(name) != nil {
		return false
	}
	e.replaceSpan(span{int(p.NameStart), int(p.End)}, []byte(text))
	return true
}
