package openai

import "github.com/signalbox/signalbox/pkg/catalog"

// effortNone is the effort of a model that shall not think.
const effortNone = "none"

// reasons writes reasoning_effort in the upstream's way and tells whether the
// member stays. A client that knows that way, and sent it itself, is right.
func (e *editor) reasons(p *part) (stays bool) {
	at, v := e.req.valueOf(p), e.req.value(p)
	if !isText(v) {
		return !isNull(v)
	}
	effort := text(v)
	if to := e.wire.Values["reasoning_effort"][effort]; to != "" {
		effort = to
		v = quoted(to)
		e.replace(at, v)
	}
	off := effort == effortNone
	switch e.wire.Reasoning {
	case catalog.ReasoningObject:
		return e.restyle(p, "reasoning", `"reasoning":{"effort":`+string(v)+`}`)
	case catalog.ReasoningSwitch:
		return e.restyle(p, "reasoning", `"reasoning":{"enabled":`+word(off, "false", "true")+`}`)
	case catalog.ThinkingSwitch:
		return e.restyle(p, "thinking", thinking(off))
	case catalog.ThinkingEffort:
		if off {
			return e.restyle(p, "thinking", thinking(off))
		}
		if e.req.find("thinking") == nil {
			e.replace(span{int(p.name), int(p.name)}, []byte(thinking(off)+","))
		}
	}
	return true
}

func thinking(off bool) string {
	return `"thinking":{"type":"` + word(off, "disabled", "enabled") + `"}`
}

func word(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// restyle puts another member into the place of one, unless the client sent it
// itself.
func (e *editor) restyle(p *part, name, text string) bool {
	if e.req.find(name) != nil {
		return false
	}
	e.replace(span{int(p.name), int(p.to)}, []byte(text))
	return true
}
