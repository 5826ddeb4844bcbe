package requestbody

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// emptyTurnBlock replaces a content that consists only of thinking that the proxy issued,
// because Anthropic rejects empty messages.
const emptyTurnBlock = `{"type":"text","text":"."}`

// StripOwnThinking returns a Messages request without the thinking blocks that the proxy
// issued, because Anthropic rejects their signatures. All other bytes stay the same. It
// returns r itself if there are no such blocks.
func StripOwnThinking(r *Request) (*Request, error) {
	m := r.FindMember("messages")
	if !r.HasGatewayState || m == nil {
		return r, nil
	}
	v := r.MemberValue(m)
	base, last := int(m.End)-len(v), 0
	body := make([]byte, 0, len(r.Body))
	var s jsonscan.Reader
	s.ResetLimited(v, true)
	for s.Enter(jsonscan.BeginArray); s.NextElement(); {
		for s.Enter(jsonscan.BeginObject); s.NextMember(); {
			isContent := string(s.Name()) == "content"
			content := s.Value()
			if blocks, changed := withoutOwnThinking(content); isContent && changed {
				end := base + s.Offset()
				body = append(append(body, r.Body[last:end-len(content)]...), blocks...)
				last = end
			}
		}
	}
	return ParseMessagesCount(append(body, r.Body[last:]...))
}

// withoutOwnThinking returns a content without the blocks that the proxy issued.
func withoutOwnThinking(content jsontext.Value) (kept []byte, changed bool) {
	kept = []byte{'['}
	for block := range jsonscan.Elements(content) {
		if IsOwnThinking(jsonscan.Member(block, "signature")) {
			changed = true
			continue
		}
		kept = append(append(kept, block...), ',')
	}
	if len(kept) == 1 {
		kept = append(kept, emptyTurnBlock+","...)
	}
	kept[len(kept)-1] = ']'
	return kept, changed
}
