package gemini

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

const (
	// maxNodes, maxSteps and maxLeaves bound arguments that come in pieces:
	// what is more is not taken.
	maxNodes  = 10_000
	maxSteps  = 64
	maxLeaves = 16 << 20
)

// tree is an object that comes leaf by leaf, each with the path to it, in the
// order of their coming.
type tree struct {
	root  node
	nodes int
	// size is how much text there is.
	size int
}

// node is an object, an array, a text or another scalar; kind is the byte it
// begins with.
type node struct {
	kind  byte
	names []string
	kids  []*node
	// leaf is a text, or a scalar as written; more is set while it goes on.
	leaf []byte
	more bool
}

// step is a name in an object or, without one, a place in an array.
type step struct {
	name  string
	index int
	named bool
}

// add takes one piece: a path, and a value or the next part of a text.
func (t *tree) add(piece jsontext.Value) {
	var path, value jsontext.Value
	more := false
	for name, v := range jsonscan.Members(piece) {
		switch string(name) {
		case "jsonPath":
			path = v
		case "stringValue", "numberValue", "boolValue":
			value = v
		case "nullValue":
			value = jsontext.Value("null")
		case "willContinue":
			more = isTrue(v)
		}
	}
	steps, ok := stepsOf(string(jsonscan.Text(path)))
	if t.size += len(value); !ok || len(value) == 0 || t.size > maxLeaves {
		return
	}
	at := &t.root
	for _, s := range steps {
		if at = t.enter(at, s); at == nil {
			return
		}
	}
	at.set(value, more)
}

// enter goes one step down, to a node that may have to be made; nil where that
// is too far.
func (t *tree) enter(at *node, s step) *node {
	kind, place := byte('['), s.index
	if s.named {
		kind, place = '{', at.find(s.name)
	}
	if at.kind != kind {
		*at = node{kind: kind}
		place = s.index
	}
	for len(at.kids) <= place {
		if t.nodes++; t.nodes > maxNodes {
			return nil
		}
		at.kids = append(at.kids, &node{})
		if s.named {
			at.names = append(at.names, s.name)
		}
	}
	return at.kids[place]
}

// find is where a name stands, or would.
func (n *node) find(name string) int {
	for i := range n.names {
		if n.names[i] == name {
			return i
		}
	}
	return len(n.names)
}

func (n *node) set(value jsontext.Value, more bool) {
	leaf := []byte(value)
	if isText(value) {
		leaf = jsonscan.Text(value)
	}
	if n.more && n.kind == value[0] {
		n.leaf = append(n.leaf, leaf...)
	} else {
		*n = node{kind: value[0], leaf: append([]byte(nil), leaf...)}
	}
	n.more = more
}

// stepsOf reads a path like $.recipe.steps[2]['the name'].
func stepsOf(path string) (steps []step, ok bool) {
	rest, ok := strings.CutPrefix(path, "$")
	for ok && rest != "" && len(steps) <= maxSteps {
		var s step
		s, rest, ok = nextStep(rest)
		steps = append(steps, s)
	}
	return steps, ok && len(steps) > 0 && len(steps) <= maxSteps
}

func nextStep(path string) (s step, rest string, ok bool) {
	if name, dotted := strings.CutPrefix(path, "."); dotted {
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			end = len(name)
		}
		return step{name: name[:end], named: true}, name[end:], end > 0
	}
	if len(path) > 1 && (path[1] == '\'' || path[1] == '"') {
		name, rest, ok := strings.Cut(path[2:], path[1:2]+"]")
		return step{name: name, named: true}, rest, ok
	}
	inside, rest, ok := strings.Cut(path, "]")
	index, err := strconv.Atoi(strings.TrimPrefix(inside, "["))
	return step{index: index}, rest, ok && err == nil && index >= 0 && strings.HasPrefix(inside, "[")
}

// object is the whole of it.
func (t *tree) object() []byte {
	var o out
	if t.root.kind != '{' {
		return []byte("{}")
	}
	t.root.write(&o)
	return o.b
}

func (n *node) write(o *out) {
	switch n.kind {
	case 0:
		o.literal("null")
	case '{':
		o.open('{')
		for i, kid := range n.kids {
			o.next()
			o.b, _ = jsontext.AppendQuote(o.b, n.names[i])
			o.b = append(o.b, ':')
			kid.write(o)
		}
		o.end('}')
	case '[':
		o.open('[')
		for _, kid := range n.kids {
			kid.write(o)
		}
		o.end(']')
	case '"':
		o.quote(n.leaf)
	default:
		o.raw(n.leaf)
	}
}
