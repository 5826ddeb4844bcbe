package gemini

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

const (
	// maxNodes, maxPathSteps and maxTreeBytes limit arguments that arrive in pieces. Pieces
	// beyond the limits are ignored.
	maxNodes     = 10_000
	maxPathSteps = 64
	maxTreeBytes = 16 << 20
)

// argumentTree collects the arguments of a function call that arrive in pieces. Each piece
// is a value with a JSON path. Members keep the order of arrival.
type argumentTree struct {
	root  node
	nodes int
	// size is the number of bytes of all values received.
	size int
}

// node is an object, an array, a string or another scalar. kind is the first byte of its
// JSON. It is 0 for an array element that has not arrived.
type node struct {
	kind     byte
	names    []string
	children []*node
	// leaf is the decoded text of a string, or the raw JSON of another scalar. continues
	// is set while more of the string follows.
	leaf      []byte
	continues bool
}

// pathStep is a member name or an array index. named is set for a name.
type pathStep struct {
	name  string
	index int
	named bool
}

// addPiece adds one piece. The piece has a path, and a value or the next part of a string.
func (t *argumentTree) addPiece(piece jsontext.Value) {
	var path, value, null, continues jsontext.Value
	readFields(piece, field{"jsonPath", &path}, field{"willContinue", &continues}, field{"nullValue", &null},
		field{"stringValue", &value}, field{"numberValue", &value}, field{"boolValue", &value})
	if null != nil {
		value = jsontext.Value("null")
	}
	steps, ok := parsePath(string(jsonscan.DecodeString(path)))
	if t.size += len(value); !ok || len(value) == 0 || t.size > maxTreeBytes {
		return
	}
	n := &t.root
	for _, s := range steps {
		if n = t.descend(n, s); n == nil {
			return
		}
	}
	n.setValue(value, isTrue(continues))
}

// descend returns the child to which the step leads. It creates the child if needed. It
// returns nil if the tree would have more than maxNodes nodes.
func (t *argumentTree) descend(parent *node, s pathStep) *node {
	kind, index := byte('['), s.index
	if s.named {
		kind, index = '{', parent.indexOf(s.name)
	}
	if parent.kind != kind {
		*parent = node{kind: kind}
		index = s.index
	}
	for len(parent.children) <= index {
		if t.nodes++; t.nodes > maxNodes {
			return nil
		}
		parent.children = append(parent.children, &node{})
		if s.named {
			parent.names = append(parent.names, s.name)
		}
	}
	return parent.children[index]
}

// indexOf returns the index of a member, or the index at which it would be added.
func (n *node) indexOf(name string) int {
	if i := slices.Index(n.names, name); i >= 0 {
		return i
	}
	return len(n.names)
}

func (n *node) setValue(value jsontext.Value, continues bool) {
	leaf := []byte(value)
	if jsonscan.IsString(value) {
		leaf = jsonscan.DecodeString(value)
	}
	if n.continues && n.kind == value[0] {
		n.leaf = append(n.leaf, leaf...)
	} else {
		*n = node{kind: value[0], leaf: append([]byte(nil), leaf...)}
	}
	n.continues = continues
}

// parsePath parses a JSON path such as $.recipe.steps[2]['the name'].
func parsePath(path string) (steps []pathStep, ok bool) {
	rest, ok := strings.CutPrefix(path, "$")
	for ok && rest != "" && len(steps) <= maxPathSteps {
		var s pathStep
		s, rest, ok = parsePathStep(rest)
		steps = append(steps, s)
	}
	return steps, ok && len(steps) > 0 && len(steps) <= maxPathSteps
}

func parsePathStep(path string) (s pathStep, rest string, ok bool) {
	if name, dotted := strings.CutPrefix(path, "."); dotted {
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			end = len(name)
		}
		return pathStep{name: name[:end], named: true}, name[end:], end > 0
	}
	if len(path) > 1 && (path[1] == '\'' || path[1] == '"') {
		name, rest, ok := strings.Cut(path[2:], path[1:2]+"]")
		return pathStep{name: name, named: true}, rest, ok
	}
	inside, rest, ok := strings.Cut(path, "]")
	index, err := strconv.Atoi(strings.TrimPrefix(inside, "["))
	return pathStep{index: index}, rest, ok && err == nil && index >= 0 && strings.HasPrefix(inside, "[")
}

func (t *argumentTree) toJSON() []byte {
	var o jsonWriter
	if t.root.kind != '{' {
		return []byte("{}")
	}
	t.root.writeTo(&o)
	return o.buf
}

func (n *node) writeTo(o *jsonWriter) {
	switch n.kind {
	case 0:
		o.literal("null")
	case '{':
		o.open('{')
		for i, child := range n.children {
			child.writeTo(o.quotedKey([]byte(n.names[i])))
		}
		o.close('}')
	case '[':
		o.open('[')
		for _, child := range n.children {
			child.writeTo(o)
		}
		o.close(']')
	case '"':
		o.quote(n.leaf)
	default:
		o.raw(n.leaf)
	}
}
