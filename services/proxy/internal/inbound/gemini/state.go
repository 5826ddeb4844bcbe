package gemini

import (
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// A thought signature of the gateway is the base64 form of "sbx1." and a JSON object with the
// members reasoning_content and reasoning_details of a chat message. Package requestbody
// recognizes it by its prefix. It is base64 as a whole, because some clients decode signatures
// and encode them again in the URL-safe alphabet.
const stateMarker = "sbx1."

// reasoningState is the reasoning of a message that another vendor produced, as raw JSON.
type reasoningState struct {
	reasoning, details jsontext.Value
}

// encodeState returns the signature for a state, as base64 text. It omits the reasoning text
// if the details contain it.
func encodeState(s reasoningState) []byte {
	w := jsonWriter{buf: []byte(stateMarker)}
	w.buf = append(w.buf, '{')
	if !lacksText(s.reasoning) && !hasDetailText(s.details) {
		w.key("reasoning_content").raw(s.reasoning)
	}
	if len(s.details) > 0 {
		w.key("reasoning_details").raw(s.details)
	}
	w.close("}")
	return base64.StdEncoding.AppendEncode(nil, w.buf)
}

// hasDetailText reports whether an entry of reasoning_details contains readable reasoning.
func hasDetailText(details jsontext.Value) bool {
	for entry := range jsonscan.Elements(details) {
		if !lacksText(jsonscan.Member(entry, "text")) {
			return true
		}
	}
	return false
}

// decodeState returns the state in a signature. ok is false if the client changed it so that
// it is no longer valid.
func decodeState(signature jsontext.Value) (s reasoningState, ok bool) {
	text := standardBase64(nil, jsonscan.DecodeString(signature))
	raw, err := base64.StdEncoding.DecodeString(string(text))
	body, ok := strings.CutPrefix(string(raw), stateMarker)
	if err != nil || !ok || !isStrictObject([]byte(body)) {
		return s, false
	}
	s.reasoning, s.details = jsonscan.Member([]byte(body), "reasoning_content"), jsonscan.Member([]byte(body), "reasoning_details")
	return s, true
}

// isStrictObject reports whether text is a JSON object that can become part of a request.
func isStrictObject(text []byte) bool {
	var r jsonscan.Reader
	r.ResetLimited(text, false)
	v := r.Value()
	return r.CheckEnd() == nil && r.PortabilityError() == nil && isObject(v)
}
