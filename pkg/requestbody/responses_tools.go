package requestbody

import (
	"hash/maphash"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// responsesTools describes the tools of a request and the client's choice among them.
type responsesTools struct {
	// mustCall is set if the model must call a tool. forcesBuiltIn is set if it must be a
	// built-in tool of the vendor.
	mustCall, forcesBuiltIn bool
}

// readResponsesTools reads the tools. Only functions and custom tools count as tools,
// because other protocols can serve the request without the vendor's built-in tools.
func (q *responsesParser) readResponsesTools() {
	if q.skipNull() {
		return
	}
	start := q.markText()
	q.readToolList("tools", true)
	q.countSince(start)
}

// readToolList reads a list of tools. A namespace contains such a list, but no further
// namespaces.
func (q *responsesParser) readToolList(path string, allowNamespaces bool) {
	if !q.Enter(jsonscan.BeginArray) {
		q.SetError(errInvalidParam(path, "must be an array"))
		return
	}
	for i := 0; q.NextElement(); i++ {
		if q.PeekKind() != jsonscan.BeginObject {
			q.SetError(errInvalidParam(path+"["+strconv.Itoa(i)+"]", "must be an object"))
			return
		}
		if member, problem := q.readTool(path, i, allowNamespaces); problem != "" {
			q.SetError(errInvalidParam(path+"["+strconv.Itoa(i)+"]"+member, problem))
		}
	}
}

func (q *responsesParser) readTool(path string, index int, allowNamespaces bool) (member, problem string) {
	q.Enter(jsonscan.BeginObject)
	start := q.Offset() - 1
	var kind, name jsontext.Value
	hasTools := false
	for q.NextMember() {
		switch {
		case string(q.Name()) == "type":
			kind = q.Value()
		case string(q.Name()) == "name":
			name = q.Value()
		case string(q.Name()) == "tools" && allowNamespaces && q.PeekKind() == jsonscan.BeginArray:
			hasTools = true
			q.readToolList(path+"["+strconv.Itoa(index)+"].tools", false)
		default:
			q.readUnknownMember([]string{"type", "name", "tools"})
		}
	}
	switch jsonscan.DecodeText(kind) {
	case "":
		return ".type", "must be a non-empty string"
	case "function", "custom":
		q.counts.tools++
	case "namespace":
		if !hasTools {
			return ".tools", "must be an array"
		}
	default:
		q.forbidReferences(q.Source()[start:q.Offset()])
		return "", ""
	}
	if !hasText(name) {
		return ".name", "must be a non-empty string"
	}
	return "", ""
}

// readResponsesToolChoice reads a mode or an object that selects tools.
func (q *responsesParser) readResponsesToolChoice() {
	v := q.Value()
	switch {
	case q.Err() != nil || jsonscan.IsNull(v):
	case jsonscan.IsString(v):
		q.tools.mustCall = string(v) == `"required"`
	case v[0] != '{':
		q.SetError(errInvalidParam("tool_choice", "must be a string or an object"))
	default:
		q.readSelectedTools(v)
	}
}

func (q *responsesParser) readSelectedTools(choice jsontext.Value) {
	switch jsonscan.DecodeText(jsonscan.Member(choice, "type")) {
	case "":
		q.SetError(errInvalidParam("tool_choice.type", "must be a non-empty string"))
	case "function", "custom":
		if !hasText(jsonscan.Member(choice, "name")) {
			q.SetError(errInvalidParam("tool_choice.name", "must be a non-empty string"))
		}
	case "allowed_tools":
		q.tools.forcesBuiltIn = string(jsonscan.Member(choice, "mode")) == `"required"`
		for tool := range jsonscan.Elements(jsonscan.Member(choice, "tools")) {
			kind := string(jsonscan.Member(tool, "type"))
			q.tools.forcesBuiltIn = q.tools.forcesBuiltIn && kind != `"function"` && kind != `"custom"`
		}
	default:
		q.tools.forcesBuiltIn = true
	}
}

// checkToolChoice is called at the end of the body. If the model must call a tool and there
// are only built-in tools, it must call a built-in tool.
func (q *responsesParser) checkToolChoice() {
	q.requireNative(q.tools.forcesBuiltIn || q.tools.mustCall && q.counts.tools == 0, nativeServerTool)
}

// callTracker checks that each output of a tool belongs to a call. It stores hashes instead
// of ids, so that it does not allocate per call.
type callTracker struct {
	seed maphash.Seed
	seen map[uint64]struct{}
	// orphan is the number of the first output without a call, plus 1. It is 0 if there is
	// none.
	orphan int
}

func (t *callTracker) add(id jsontext.Value) {
	if t.seen == nil {
		t.seen, t.seed = make(map[uint64]struct{}, 16), maphash.MakeSeed()
	}
	t.seen[t.hash(id)] = struct{}{}
}

func (t *callTracker) checkOutput(id jsontext.Value, item int) {
	if t.orphan == 0 && !t.has(id) {
		t.orphan = item + 1
	}
}

func (t *callTracker) has(id jsontext.Value) bool {
	if t.seen == nil {
		return false
	}
	_, ok := t.seen[t.hash(id)]
	return ok
}

func (t *callTracker) hash(id jsontext.Value) uint64 {
	return maphash.Bytes(t.seed, jsonscan.DecodeString(id))
}

// checkCalls fails for an output without a call. The call may also be part of the stored
// state that the request refers to.
func (q *responsesParser) checkCalls() {
	if q.calls.orphan == 0 || q.isNative(nativePreviousResponse) || q.isNative(nativeConversation) || q.isNative(nativeItemReference) {
		return
	}
	q.items = q.calls.orphan - 1
	q.failItem(".call_id", "does not match the call_id of an earlier tool call")
}
