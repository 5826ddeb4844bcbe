package requestbody

import "github.com/signalbox/signalbox/pkg/jsonscan"

// ReplacePreviousResponse returns a Responses request that continues another stored response. All
// other bytes stay the same.
func ReplacePreviousResponse(r *Request, id string) (*Request, error) {
	m := r.FindMember("previous_response_id")
	if m == nil {
		return r, nil
	}
	v := r.MemberValue(m)
	body := make([]byte, 0, len(r.Body)+len(id))
	body = append(body, r.Body[:int(m.End)-len(v)]...)
	body = jsonscan.AppendQuoted(body, id)
	return ParseResponses(append(body, r.Body[m.End:]...))
}
