package requestbody

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// JoinTextParts concatenates the texts of an array of parts. It concatenates the
// reasoning texts separately. onlyText is false if there are parts of other types.
func JoinTextParts(parts jsontext.Value) (joined, reasoning []byte, onlyText bool) {
	var s jsonscan.Reader
	s.ResetLimited(parts, true)
	s.Enter(jsonscan.BeginArray)
	onlyText = true
	for s.NextElement() {
		isText := false
		if !s.Enter(jsonscan.BeginObject) {
			v := s.Value()
			if isText = jsonscan.IsString(v); isText {
				joined = jsonscan.AppendUnquoted(joined, v)
			}
		} else {
			for s.NextMember() {
				name := string(s.Name())
				v := s.Value()
				switch {
				case name == "text" && jsonscan.IsString(v):
					joined, isText = jsonscan.AppendUnquoted(joined, v), true
				case name == "thinking" && jsonscan.IsString(v):
					reasoning, isText = jsonscan.AppendUnquoted(reasoning, v), true
				case name == "thinking" && v.Kind() == jsontext.KindBeginArray:
					inner, _, innerOnlyText := JoinTextParts(v)
					reasoning, isText = append(reasoning, inner...), innerOnlyText
				}
			}
		}
		onlyText = onlyText && isText
	}
	return joined, reasoning, onlyText && s.Err() == nil
}
