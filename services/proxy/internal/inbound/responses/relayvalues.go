package responses

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// meaning says what a value in a response is.
type meaning int

const (
	modelName meaning = iota
	// ownID is the id of the response itself. previousID is the id of the response that it
	// continues.
	ownID
	previousID
)

// replaceable is a string in a payload that the client gets in another form. end is the offset of
// its end in the payload.
type replaceable struct {
	meaning meaning
	value   jsontext.Value
	end     int
}

// responseValues are the values of a response object that a relay needs.
type responseValues struct {
	// values are in the order of the payload.
	values []replaceable
	// isStored is set if the response says that the upstream has stored it.
	isStored bool
}

// readMember reads one member of a response object.
func (r *responseValues) readMember(s *jsonscan.Reader) {
	switch string(s.Name()) {
	case "id":
		r.add(ownID, s)
	case "previous_response_id":
		r.add(previousID, s)
	case "model":
		r.add(modelName, s)
	case "store":
		r.isStored = string(s.Value()) == "true"
	default:
		s.Value()
	}
}

// add reads a value and adds it if it is a string.
func (r *responseValues) add(m meaning, s *jsonscan.Reader) {
	if v := s.Value(); jsonscan.IsString(v) {
		r.values = append(r.values, replaceable{m, v, s.Offset()})
	}
}

// clientID returns the id of the response that the client gets, or "".
func (r *responseValues) clientID(o *inbound.Options) string {
	for i := range r.values {
		if v := &r.values[i]; v.meaning == ownID {
			if text, ok := r.replacement(v, o); ok {
				return text
			}
			return jsonscan.DecodeText(v.value)
		}
	}
	return ""
}

// appendReplaced appends the payload with the values that the client gets. All other bytes stay
// the same.
func (r *responseValues) appendReplaced(dst, payload []byte, o *inbound.Options) []byte {
	last := 0
	for i := range r.values {
		v := &r.values[i]
		if text, ok := r.replacement(v, o); ok {
			dst = append(dst, payload[last:v.end-len(v.value)]...)
			dst = jsonscan.AppendQuoted(dst, text)
			last = v.end
		}
	}
	return append(dst, payload[last:]...)
}

// replacement returns what the client gets instead of a value. It returns false if the value stays.
// The id of a response that is not stored stays: the client cannot use it anyway, and a request with
// it is rejected because it is no wrapper.
func (r *responseValues) replacement(v *replaceable, o *inbound.Options) (string, bool) {
	switch {
	case v.meaning == modelName:
		return o.Model, o.Model != ""
	case o.WrapID == nil, v.meaning == ownID && !r.isStored && !o.Store:
		return "", false
	}
	return o.WrapID(jsonscan.DecodeText(v.value))
}

// WrapStored returns a stored response, or the confirmation of its deletion, with the ids that the
// client gets. It returns false if the body is not a JSON object.
func WrapStored(body []byte, o inbound.Options) ([]byte, bool) {
	var r jsonscan.Reader
	r.Reset(body, true)
	if !r.Enter(jsonscan.BeginObject) {
		return nil, false
	}
	var values responseValues
	for r.NextMember() {
		values.readMember(&r)
	}
	if r.CheckEnd() != nil {
		return nil, false
	}
	o.Store, o.Model = true, ""
	return values.appendReplaced(nil, body, &o), true
}
