package openai

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// noArguments is what a call without any has: clients parse it as JSON.
const noArguments = `"{}"`

// track is what has been sent of one tool call.
type track struct {
	// index is the upstream's, which may begin at 1, be the same for all or
	// not be there.
	index    int
	id, name string
	// function is set if it calls one, argued if it has arguments, and whole
	// if they came complete and at once.
	function, argued, whole bool
}

// place finds the call that a fragment belongs to, or starts one, and returns
// its place among the choice's calls. at is the fragment's place among those
// it came with, of which there are several or not.
func (st *state) place(k *call, at int, several bool) (place int, fresh bool) {
	id, name := text(k.id), text(k.name)
	place = st.find(k, id, at, several)
	if place >= 0 && !st.calls[place].differs(k, id, name) {
		return place, false
	}
	index := k.index
	if index == noIndex && several {
		index = at
	}
	st.calls = append(st.calls, track{index: index, id: id, name: name})
	return len(st.calls) - 1, true
}

// find tells a fragment's call by its id, else by its index; without one it is
// the latest, or, of several that come together, the one at the same place.
func (st *state) find(k *call, id string, at int, several bool) int {
	index := k.index
	if index == noIndex && several {
		index = at
	}
	found := -1
	for i := range st.calls {
		t := &st.calls[i]
		if id != "" && t.id == id {
			return i
		}
		if index == noIndex || t.index == index {
			found = i
		}
	}
	return found
}

// differs tells a new call from a fragment: upstreams that give every call the
// same index, or none, give each its own id, or at least its name. An id alone
// is not enough, as some make a new one for every fragment. Another name is
// not either while a call that has an id waits for its arguments: names, too,
// come in pieces.
func (t *track) differs(k *call, id, name string) bool {
	if k.function && name == "" {
		return false
	}
	if id != "" && t.id != "" {
		return id != t.id
	}
	if name != "" && t.name != "" && name != t.name {
		return t.id == "" || t.argued
	}
	return t.whole && name != "" && isWhole(k.args)
}

// isWhole tells whether arguments are a complete object.
func isWhole(args jsontext.Value) bool {
	if !isText(args) {
		return args.Kind() == jsontext.KindBeginObject
	}
	inner := args[1 : len(args)-1]
	if !bytes.HasPrefix(inner, []byte{'{'}) || !bytes.HasSuffix(inner, []byte{'}'}) {
		return false
	}
	return jsontext.Value(appendText(nil, args)).IsValid(lenient...)
}

// note remembers what the fragment brings.
func (t *track) note(k *call, id string) {
	if t.id == "" {
		t.id = id
	}
	t.function = t.function || k.function
	if isBlank(k.args) {
		return
	}
	t.whole = !t.argued && isWhole(k.args)
	t.argued = true
}

// empty tells whether a fragment says nothing at all.
func (k *call) empty() bool {
	return !k.function && len(k.extra) == 0 && isBlank(k.id)
}

// fragment is where a part of a call belongs, and what is new in it.
type fragment struct {
	place int
	// fresh is set if the call begins with it, and id is then the call's.
	fresh bool
	id    string
	name  jsontext.Value
}

// fragment puts a part of a call into its place: id, type and name come once,
// as clients glue together what comes twice.
func (st *state) fragment(k *call, at int, several bool, prefix string) fragment {
	place, fresh := st.place(k, at, several)
	f := fragment{place: place, fresh: fresh, name: k.name}
	t := &st.calls[place]
	if fresh {
		f.id = callID(prefix, t.id, place)
	}
	t.note(k, text(k.id))
	if more := text(k.name); !fresh && more == t.name {
		f.name = nil
	} else if !fresh {
		t.name += more
	}
	return f
}

func (f *fragment) append(dst []byte, k *call) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(f.place), 10)
	if f.fresh {
		dst = appendIdentity(append(dst, ','), k, f.id)
	}
	dst = appendFunction(dst, k, f.name, `""`)
	dst = append(dst, k.extra...)
	return append(dst, '}')
}

// appendUnargued writes, with the last delta of a choice, the arguments of the
// calls that got none.
func (st *state) appendUnargued(dst []byte) []byte {
	for i := range st.calls {
		t := &st.calls[i]
		if t.argued || !t.function {
			continue
		}
		t.argued = true
		dst = append(dst, `{"index":`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, `,"function":{"arguments":`+noArguments+`}},`...)
	}
	return dst
}

// callID is the upstream's id, or one made of our own.
func callID(prefix, id string, at int) string {
	if id == "" {
		return "call_" + prefix + "_" + strconv.Itoa(at)
	}
	return id
}

func appendIdentity(dst []byte, k *call, id string) []byte {
	dst = append(dst, `"id":`...)
	dst = appendQuoted(dst, id)
	if len(k.kind) > 2 && isText(k.kind) {
		dst = append(dst, `,"type":`...)
		return append(dst, k.kind...)
	}
	return append(dst, `,"type":"function"`...)
}

// appendFunction writes the function of a call, if it has one.
func appendFunction(dst []byte, k *call, name jsontext.Value, otherwise string) []byte {
	if !k.function {
		return dst
	}
	return k.appendBody(append(dst, `,"function":`...), name, otherwise)
}

// appendBody writes name and arguments, the latter as a string; upstreams also
// send the object itself.
func (k *call) appendBody(dst []byte, name jsontext.Value, otherwise string) []byte {
	dst = append(dst, '{')
	if isText(name) && !isBlank(name) {
		dst = append(dst, `"name":`...)
		dst = append(dst, name...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"arguments":`...)
	if isBlank(k.args) {
		dst = append(dst, otherwise...)
	} else {
		dst = append(dst, k.textArgs()...)
	}
	dst = append(dst, k.inside...)
	return append(dst, '}')
}

// textArgs are the arguments as a string, which some upstreams do not send.
func (k *call) textArgs() jsontext.Value {
	if isText(k.args) {
		return k.args
	}
	return appendQuoted(nil, bytes.TrimSpace(k.args))
}
