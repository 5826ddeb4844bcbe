package anthropic

import (
	"fmt"
	"hash/fnv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

// maxToolName is the maximum length of a tool name in the Anthropic API.
const maxToolName = 128

// toolNames converts tool names to names that the Anthropic API accepts, and back. A
// changed name ends with a hash of the original name. So a tool has the same name in every
// request, and different tools almost certainly have different names.
type toolNames struct {
	// originals maps changed names to the client's names.
	originals map[string]string
}

// toUpstream converts a client's tool name to the name for the upstream. Both names are
// JSON strings.
func (n *toolNames) toUpstream(v []byte) []byte {
	name := jsonscan.DecodeString(v)
	if len(name) <= maxToolName && isPlainName(name) {
		return quoteString(name)
	}
	changed := hashedName(name, maxToolName)
	if n.originals == nil {
		n.originals = map[string]string{}
	}
	n.originals[changed] = string(name)
	return quoteString(changed)
}

// toClient converts an upstream's tool name back to the client's name. Both names are JSON
// strings.
func (n *toolNames) toClient(v []byte) []byte {
	if n.originals == nil {
		return v
	}
	if original, ok := n.originals[stringValue(v)]; ok {
		return quoteString(original)
	}
	return v
}

// maxCallID is the maximum length of a changed call id. Call ids of other vendors can be
// much longer.
const maxCallID = 64

// toUpstreamID returns the call id for the upstream, as a JSON string. Ids are never
// converted back, because the model creates new ids for new calls.
func toUpstreamID(v []byte) []byte {
	id := outbound.StripSignature(jsonscan.DecodeString(v))
	if isPlainName(id) {
		return quoteString(id)
	}
	return quoteString(hashedName(id, maxCallID))
}

func isPlainName(name []byte) bool {
	for _, c := range name {
		if !isPlainByte(c) {
			return false
		}
	}
	return len(name) > 0
}

func isPlainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// hashedName returns a name of at most maxLen letters, digits, "_" and "-". It ends in a
// hash of the original name.
func hashedName(name []byte, maxLen int) string {
	h := fnv.New32a()
	_, _ = h.Write(name)
	suffix := fmt.Sprintf("_%08x", h.Sum32())
	plain := make([]byte, 0, maxLen)
	for _, c := range name[:min(len(name), maxLen-len(suffix))] {
		if !isPlainByte(c) {
			c = '_'
		}
		plain = append(plain, c)
	}
	return string(plain) + suffix
}
