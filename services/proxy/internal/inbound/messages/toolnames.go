package messages

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxToolName is the longest name of a function in a chat. Names in Messages can be longer.
const maxToolName = 64

// toolNames shortens the names of tools, and restores them. A shortened name ends with a
// hash of the original name, so that a tool has the same name in every request.
type toolNames map[string]string

// toChat returns the name for the chat. Both names are JSON strings.
func (n *toolNames) toChat(v []byte) []byte {
	name := jsonscan.DecodeString(v)
	if len(name) <= maxToolName {
		return v
	}
	h := fnv.New32a()
	_, _ = h.Write(name)
	suffix := fmt.Sprintf("_%08x", h.Sum32())
	short := strings.ToValidUTF8(string(name[:maxToolName-len(suffix)]), "") + suffix
	if *n == nil {
		*n = toolNames{}
	}
	(*n)[short] = string(name)
	return jsonscan.AppendQuoted(nil, short)
}

// toClient returns the client's name. Both names are JSON strings.
func (n toolNames) toClient(v []byte) []byte {
	if len(n) == 0 {
		return v
	}
	if original, ok := n[stringValue(v)]; ok {
		return jsonscan.AppendQuoted(nil, original)
	}
	return v
}

// encodedIDPrefix starts the ids of tool calls that toClientID encoded.
const encodedIDPrefix = "sbx1_"

// toClientID returns the id of a tool call for the client, as a JSON string. Anthropic
// accepts only letters, digits, "_" and "-", so an id with other characters is encoded.
func toClientID(v []byte) []byte {
	id := jsonscan.DecodeString(v)
	if isPlainID(id) && !bytes.HasPrefix(id, []byte(encodedIDPrefix)) {
		return v
	}
	return append(base64.RawURLEncoding.AppendEncode([]byte(`"`+encodedIDPrefix), id), '"')
}

// toChatID reverses toClientID. It returns other ids unchanged.
func toChatID(v []byte) []byte {
	encoded, ok := bytes.CutPrefix(inner(v), []byte(encodedIDPrefix))
	if !ok {
		return v
	}
	id, err := base64.RawURLEncoding.DecodeString(string(encoded))
	if err != nil {
		return v
	}
	return jsonscan.AppendQuoted(nil, id)
}

func isPlainID(id []byte) bool {
	for _, c := range id {
		if c-'0' > 9 && c|0x20-'a' > 25 && c != '_' && c != '-' {
			return false
		}
	}
	return len(id) > 0
}
