package anthropic

import (
	"fmt"
	"hash/fnv"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// maxName is how long the name of a tool may be.
const maxName = 128

// names gives tools names that the format takes, and back. One that had to
// change gets a mark made of the name itself, so that the next request makes
// the same of it, and no two become one.
type names struct {
	// own has, by the name that was made, the client's.
	own map[string]string
}

// clean is a name, as a string value, for the upstream.
func (n *names) clean(v []byte) []byte {
	name := jsonscan.Text(v)
	if len(name) <= maxName && isPlain(name) {
		return quoted(name)
	}
	made := marked(name, maxName)
	if n.own == nil {
		n.own = map[string]string{}
	}
	n.own[made] = string(name)
	return quoted(made)
}

// back is a name of the upstream's, as a string value, for the client.
func (n *names) back(v []byte) []byte {
	if n.own == nil {
		return v
	}
	if own, ok := n.own[word(v)]; ok {
		return quoted(own)
	}
	return v
}

// maxID is for ids that have to change. Other vendors carry whole signatures in
// theirs.
const maxID = 64

// cleanID is the id of a call, as a string value, for the upstream. It never
// comes back from there: a model makes new ones for new calls.
func cleanID(v []byte) []byte {
	id := openai.BareID(jsonscan.Text(v))
	if isPlain(id) {
		return quoted(id)
	}
	return quoted(marked(id, maxID))
}

func isPlain(name []byte) bool {
	for _, c := range name {
		if !plainByte(c) {
			return false
		}
	}
	return len(name) > 0
}

func plainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// marked is a name of at most so many letters, ending in a hash.
func marked(name []byte, most int) string {
	h := fnv.New32a()
	_, _ = h.Write(name)
	mark := fmt.Sprintf("_%08x", h.Sum32())
	made := make([]byte, 0, most)
	for _, c := range name[:min(len(name), most-len(mark))] {
		if !plainByte(c) {
			c = '_'
		}
		made = append(made, c)
	}
	return string(made) + mark
}
