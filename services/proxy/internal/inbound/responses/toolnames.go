package responses

import (
	"fmt"
	"hash/fnv"
)

// maxToolName is the maximum length of a tool name in chat completions.
const maxToolName = 64

// namespaceSeparator is between the namespace and the name of a tool in a chat.
const namespaceSeparator = "__"

// toolKey identifies a tool of the client. namespace is empty for most tools.
type toolKey struct{ namespace, name string }

// toolNames converts the client's tools to names for chat completions, and back. A chat has
// no namespaces, and its tool names consist of at most 64 letters, digits, "_" and "-". A tool
// has the same name in every request with the same tools.
type toolNames struct {
	byKey  map[toolKey]string
	byName map[string]toolKey
	custom map[string]bool
}

// chatName returns the name of a tool in the chat.
func (n *toolNames) chatName(key toolKey) string {
	if name, ok := n.byKey[key]; ok {
		return name
	}
	full := key.name
	if key.namespace != "" {
		full = key.namespace + namespaceSeparator + key.name
	}
	name := full
	if !isPlainName(name) || n.isTaken(name) {
		name = hashedName(full, key.namespace+"\x00"+key.name)
	}
	for i := 2; n.isTaken(name); i++ {
		name = hashedName(full, fmt.Sprintf("%s\x00%s\x00%d", key.namespace, key.name, i))
	}
	if n.byKey == nil {
		n.byKey, n.byName, n.custom = map[toolKey]string{}, map[string]toolKey{}, map[string]bool{}
	}
	n.byKey[key], n.byName[name] = name, key
	return name
}

func (n *toolNames) isTaken(name string) bool {
	_, taken := n.byName[name]
	return taken
}

// markCustom records that a tool is a custom tool, which takes a text instead of JSON.
func (n *toolNames) markCustom(chatName string) { n.custom[chatName] = true }

// clientTool returns the client's tool that has this name in the chat.
func (n *toolNames) clientTool(chatName string) (key toolKey, isCustom bool) {
	if key, ok := n.byName[chatName]; ok {
		return key, n.custom[chatName]
	}
	return toolKey{name: chatName}, false
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

// hashedName returns a valid name that starts like full and ends in a hash of identity.
func hashedName(full, identity string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(identity))
	suffix := fmt.Sprintf("_%08x", h.Sum32())
	plain := make([]byte, 0, maxToolName)
	for _, c := range []byte(full[:min(len(full), maxToolName-len(suffix))]) {
		if !isPlainByte(c) {
			c = '_'
		}
		plain = append(plain, c)
	}
	return string(plain) + suffix
}
