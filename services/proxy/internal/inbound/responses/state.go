package responses

import (
	"bytes"
	"encoding/base64"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// appendState appends the encrypted content of a reasoning item as a JSON string. details
// are entries of reasoning_details, each with a trailing comma. The content is the marker
// and the base64 of these entries. Without entries it still has the marker: some clients
// send a reasoning item back only if it has encrypted content.
func appendState(dst, details []byte) []byte {
	dst = append(append(dst, '"'), requestbody.ResponsesStateMarker...)
	dst = base64.RawURLEncoding.AppendEncode(dst, appendList(nil, details))
	return append(dst, '"')
}

// decodeState returns the entries that appendState has encoded, each with a trailing comma.
// param is the path of the content in the client's request.
func decodeState(v jsontext.Value, param string) ([]byte, error) {
	encoded := bytes.TrimPrefix(jsonscan.DecodeString(v), []byte(requestbody.ResponsesStateMarker))
	list, err := base64.RawURLEncoding.DecodeString(string(encoded))
	if err != nil {
		return nil, errChangedState(param)
	}
	var r jsonscan.Reader
	r.ResetLimited(list, false)
	if !r.Enter(jsonscan.BeginArray) {
		return nil, errChangedState(param)
	}
	var entries []byte
	for r.NextElement() {
		entry := r.Value()
		if !isObject(entry) {
			return nil, errChangedState(param)
		}
		entries = append(append(entries, entry...), ',')
	}
	if r.CheckEnd() != nil || r.PortabilityError() != nil {
		return nil, errChangedState(param)
	}
	return entries, nil
}

func errChangedState(param string) error {
	return apperr.New(apperr.InvalidRequest, param+" was changed; send reasoning items back unchanged").With("param", param)
}

// appendDetails appends entries of reasoning_details, each with a trailing comma. It omits
// entries that the parser of requests would reject when they come back.
func appendDetails(dst []byte, list jsontext.Value) []byte {
	for entry := range jsonscan.Elements(list) {
		if isObject(entry) && isPortable(entry) {
			dst = append(append(dst, entry...), ',')
		}
	}
	return dst
}

// isPortable reports whether a value is strict JSON within the limits for requests.
func isPortable(v jsontext.Value) bool {
	var r jsonscan.Reader
	r.ResetLimited(v, false)
	r.Value()
	return r.CheckEnd() == nil && r.PortabilityError() == nil
}

// StripState returns the request without the reasoning items that the gateway handed out.
// Upstreams can still cache the beginning of a conversation.
func (Protocol) StripState(r *requestbody.Request) (*requestbody.Request, error) {
	return requestbody.ParseResponses(stripState(r))
}

func stripState(r *requestbody.Request) []byte {
	input := r.FindMember("input")
	if input == nil || !r.HasGatewayState {
		return r.Body
	}
	v := r.MemberValue(input)
	kept := make([]byte, 0, len(r.Body))
	kept = append(kept, r.Body[:int(input.End)-len(v)]...)
	kept = append(kept, '[')
	for item := range jsonscan.Elements(v) {
		if !requestbody.IsResponsesState(jsonscan.Member(item, "encrypted_content")) {
			kept = append(append(kept, item...), ',')
		}
	}
	if kept[len(kept)-1] == ',' {
		kept = kept[:len(kept)-1]
	}
	kept = append(kept, ']')
	return append(kept, r.Body[input.End:]...)
}
