package normalize

import "strconv"

const (
	// maxCallID is the longest tool call id that OpenAI and Azure accept when the client
	// sends the call back in the next turn.
	maxCallID = 40
	// callIDRandom is how many characters of the response id become part of a tool call id.
	// It leaves space for "call_", a separator and the largest call number.
	callIDRandom = 28
)

// callIDPrefix identifies the choice whose tool calls need ids.
type callIDPrefix struct {
	responseID string
	choice     int
}

// idOrDefault returns the upstream's id of a tool call. If there is none, it makes an id
// of at most maxCallID characters from the response id, the choice and the position of the
// call. The id is unique in the response, and equal for all fragments of the call. The end of
// the response id is used, because its start may be a time.
func (p callIDPrefix) idOrDefault(id string, at int) string {
	if id != "" {
		return id
	}
	buf := make([]byte, 0, maxCallID)
	buf = appendAlphanumericTail(append(buf, "call_"...), p.responseID)
	buf = append(buf, '_')
	return string(strconv.AppendInt(buf, int64(p.choice*maxToolCalls+at), 10))
}

// appendAlphanumericTail appends the last callIDRandom letters and digits of id.
func appendAlphanumericTail(dst []byte, id string) []byte {
	from, count := len(id), 0
	for from > 0 && count < callIDRandom {
		from--
		if isAlphanumeric(id[from]) {
			count++
		}
	}
	for i := from; i < len(id); i++ {
		if isAlphanumeric(id[i]) {
			dst = append(dst, id[i])
		}
	}
	return dst
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
