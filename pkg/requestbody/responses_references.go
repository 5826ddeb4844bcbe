package requestbody

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// forbidReferences records that a value refers to an object of the vendor, such as a file.
func (p *parser) forbidReferences(v jsontext.Value) {
	if kind := findReference(v); kind != "" {
		p.addNativeOnly(kind)
	}
}

// noteFileID records a file that the vendor stores. v is its id.
func (p *parser) noteFileID(v jsontext.Value) {
	if hasText(v) {
		p.addNativeOnly(nativeFileID)
	}
}

// findReference returns the kind of the first object of the vendor to which a built-in tool, or an
// item of its history, refers. It returns "" if there is none. All accounts share the vendor's
// objects, so a client could otherwise use those of another account.
func findReference(v jsontext.Value) string {
	var r jsonscan.Reader
	r.Reset(v, true)
	return nextReference(&r)
}

// nextReference finds a reference in the next value. It reads every byte once, however deep the
// value is nested.
func nextReference(r *jsonscan.Reader) (kind string) {
	switch {
	case r.Enter(jsonscan.BeginObject):
		for kind == "" && r.NextMember() {
			kind = memberReference(r)
		}
	case r.Enter(jsonscan.BeginArray):
		for kind == "" && r.NextElement() {
			kind = nextReference(r)
		}
	default:
		r.Value()
	}
	return kind
}

// memberReference finds a reference in a member. An id, or a list with elements, is a reference. A
// container can also be an object that describes a new container.
func memberReference(r *jsonscan.Reader) string {
	name := string(r.Name())
	if isQuotation(name) {
		r.Value()
		return ""
	}
	kind := referenceKind(name)
	switch {
	case kind == "" || r.PeekKind() == jsonscan.BeginObject:
		return nextReference(r)
	case r.Enter(jsonscan.BeginArray):
		if r.NextElement() {
			return kind
		}
	case hasText(r.Value()):
		return kind
	}
	return ""
}

// referenceKind returns the kind of object that a member with this name refers to, or "".
func referenceKind(name string) string {
	switch name {
	case "file_id", "file_ids":
		return nativeFileID
	case "vector_store_ids":
		return nativeVectorStore
	case "container", "container_id":
		return nativeContainer
	case "skill_id":
		return nativeSkill
	}
	return ""
}

// isQuotation reports whether a member only tells where a text comes from. The vendor does not read
// the objects that are named there.
func isQuotation(name string) bool { return name == "results" || name == "annotations" }
