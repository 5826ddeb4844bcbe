package normalize

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// emptyArguments replaces missing arguments, because clients parse them as JSON.
const emptyArguments = `"{}"`

// trackedCall is a tool call of a stream. The upstream sends the call in one or more
// fragments, and trackedCall describes the fragments so far.
type trackedCall struct {
	// index is the upstream's index, or noIndex. Some upstreams start at 1, or use
	// the same index for all calls.
	index    int
	id, name string
	// hasFunction is set if the call has a function. hasArguments is set if arguments
	// have arrived. argumentsComplete is set if one fragment contained all arguments as a
	// complete object.
	hasFunction, hasArguments, argumentsComplete bool
}

// locateCall returns the position of the call of fragments[at] among the calls of the
// choice. It adds the call if it is new. fragments are all fragments of the chunk.
func (st *choiceState) locateCall(fragments []toolCall, at int) (position int, isNew bool) {
	k, several := &fragments[at], len(fragments) > 1
	id, name := jsonscan.DecodeText(k.id), jsonscan.DecodeText(k.name)
	if position = st.findByOrder(fragments, at); position >= 0 {
		return position, false
	}
	position = st.findCall(k, id, at, several)
	if position >= 0 && !st.calls[position].isDifferentCall(k, id, name) {
		return position, false
	}
	index := k.index
	if index == noIndex && several {
		index = at
	}
	st.calls = append(st.calls, trackedCall{index: index, id: id, name: name})
	return len(st.calls) - 1, true
}

// findCall finds the call of a fragment by its id, or else by its index. A fragment
// without an index belongs to the latest call. If its chunk has several fragments,
// its position in the chunk is used as the index.
func (st *choiceState) findCall(k *toolCall, id string, at int, several bool) int {
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

// isDifferentCall reports whether the fragment k starts a new call instead of continuing
// call t. Upstreams that use no index, or the same index for all calls, send a new id or
// at least a new name for each call. There are two exceptions:
//   - A new id without a name continues the call, because some upstreams make a new id
//     for each fragment.
//   - A new name continues the call if the call has an id but no arguments yet, because
//     names can also arrive in pieces.
//
// A fragment with a name and complete arguments starts a new call if the arguments of call
// t are already complete.
func (t *trackedCall) isDifferentCall(k *toolCall, id, name string) bool {
	if k.hasFunction && name == "" {
		return false
	}
	if id != "" && t.id != "" {
		return id != t.id
	}
	if name != "" && t.name != "" && name != t.name {
		return t.id == "" || t.hasArguments
	}
	return t.argumentsComplete && name != "" && isCompleteObject(k.args)
}

// isCompleteObject reports whether arguments are a complete JSON object.
func isCompleteObject(args jsontext.Value) bool {
	if !jsonscan.IsString(args) {
		return args.Kind() == jsontext.KindBeginObject
	}
	inner := args[1 : len(args)-1]
	if !bytes.HasPrefix(inner, []byte{'{'}) || !bytes.HasSuffix(inner, []byte{'}'}) {
		return false
	}
	return jsonscan.Valid(jsonscan.AppendUnquoted(nil, args))
}

// update records what the fragment adds to the call.
func (t *trackedCall) update(k *toolCall, id string) {
	if t.id == "" {
		t.id = id
	}
	t.hasFunction = t.hasFunction || k.hasFunction
	if jsonscan.IsBlank(k.args) {
		return
	}
	t.argumentsComplete = !t.hasArguments && isCompleteObject(k.args)
	t.hasArguments = true
}

// isEmpty reports whether a fragment carries no information.
func (k *toolCall) isEmpty() bool {
	return !k.hasFunction && len(k.extra) == 0 && jsonscan.IsBlank(k.id)
}

// callFragment is a fragment with the position of its call and the values to send.
type callFragment struct {
	position int
	// isNew is set if the fragment starts the call. id is set only if isNew is set.
	isNew bool
	id    string
	name  jsontext.Value
}

// assignFragment assigns a fragment to its call. Clients concatenate repeated values, so
// the id and the type are sent only once, and a repeated name is omitted.
func (st *choiceState) assignFragment(fragments []toolCall, at int, prefix callIDPrefix) callFragment {
	k := &fragments[at]
	position, isNew := st.locateCall(fragments, at)
	f := callFragment{position: position, isNew: isNew, name: k.name}
	t := &st.calls[position]
	if isNew {
		f.id = prefix.idOrDefault(t.id, position)
	}
	t.update(k, jsonscan.DecodeText(k.id))
	if more := jsonscan.DecodeText(k.name); !isNew && more == t.name {
		f.name = nil
	} else if !isNew {
		t.name += more
	}
	return f
}

func (f *callFragment) appendJSON(dst []byte, k *toolCall) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(f.position), 10)
	if f.isNew {
		dst = appendIDAndType(append(dst, ','), k, f.id)
	}
	dst = appendFunction(dst, k, f.name, `""`)
	dst = append(dst, k.extra...)
	return append(dst, '}')
}

// appendMissingArguments is called for the last delta of a choice. It appends empty
// arguments for the calls that had none.
func (st *choiceState) appendMissingArguments(dst []byte) []byte {
	for i := range st.calls {
		t := &st.calls[i]
		if t.hasArguments || !t.hasFunction {
			continue
		}
		t.hasArguments = true
		dst = append(dst, `{"index":`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, `,"function":{"arguments":`+emptyArguments+`}},`...)
	}
	return dst
}

func appendIDAndType(dst []byte, k *toolCall, id string) []byte {
	dst = append(dst, `"id":`...)
	dst = jsonscan.AppendQuoted(dst, id)
	if len(k.kind) > 2 && jsonscan.IsString(k.kind) {
		dst = append(dst, `,"type":`...)
		return append(dst, k.kind...)
	}
	return append(dst, `,"type":"function"`...)
}

// appendFunction appends the function of a call, if the call has one. If the arguments
// are missing, it writes defaultArguments in their place.
func appendFunction(dst []byte, k *toolCall, name jsontext.Value, defaultArguments string) []byte {
	if !k.hasFunction {
		return dst
	}
	return k.appendFunctionObject(append(dst, `,"function":`...), name, defaultArguments)
}

// appendFunctionObject appends an object with name and arguments. The arguments are
// written as a string even if the upstream sent an object.
func (k *toolCall) appendFunctionObject(dst []byte, name jsontext.Value, defaultArguments string) []byte {
	dst = append(dst, '{')
	if jsonscan.IsString(name) && !jsonscan.IsBlank(name) {
		dst = append(dst, `"name":`...)
		dst = append(dst, name...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"arguments":`...)
	if jsonscan.IsBlank(k.args) {
		dst = append(dst, defaultArguments...)
	} else {
		dst = append(dst, k.argumentString()...)
	}
	dst = append(dst, k.functionExtra...)
	return append(dst, '}')
}

// argumentString returns the arguments as a JSON string.
func (k *toolCall) argumentString() jsontext.Value {
	if jsonscan.IsString(k.args) {
		return k.args
	}
	return jsonscan.AppendQuoted(nil, bytes.TrimSpace(k.args))
}
