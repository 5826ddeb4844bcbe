package gemini

import (
	"fmt"
	"hash/fnv"
)

// maxToolName is the maximum length of a function name in the chat format. Google accepts
// longer names, and names with dots and colons.
const maxToolName = 64

// toolNames converts function names to names that every vendor accepts, and back. A changed
// name ends with a hash of the original. So a function has the same name in every request.
type toolNames struct {
	// originals maps changed names to the client's names.
	originals map[string]string
}

func (n *toolNames) toChat(name string) string {
	if isPlainName(name) {
		return name
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	suffix := fmt.Sprintf("_%08x", h.Sum32())
	plain := []byte(name[:min(len(name), maxToolName-len(suffix))])
	for i, c := range plain {
		if !isPlainByte(c) {
			plain[i] = '_'
		}
	}
	if n.originals == nil {
		n.originals = map[string]string{}
	}
	changed := string(plain) + suffix
	n.originals[changed] = name
	return changed
}

func (n *toolNames) toClient(name string) string {
	if original, ok := n.originals[name]; ok {
		return original
	}
	return name
}

func isPlainName(name string) bool {
	for i := range len(name) {
		if !isPlainByte(name[i]) {
			return false
		}
	}
	return name != "" && len(name) <= maxToolName
}

func isPlainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
