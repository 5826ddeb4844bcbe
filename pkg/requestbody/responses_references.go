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
	for name, value := range jsonscan.Members(v) {
		if kind := referenceKind(string(name)); kind != "" && isReference(value) {
			return kind
		}
		if isQuotation(string(name)) {
			continue
		}
		if kind := findReference(value); kind != "" {
			return kind
		}
	}
	for element := range jsonscan.Elements(v) {
		if kind := findReference(element); kind != "" {
			return kind
		}
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

// isReference reports whether a value is an id or a list with elements. A container can also be an
// object that describes a new container.
func isReference(v jsontext.Value) bool {
	if hasText(v) {
		return true
	}
	for range jsonscan.Elements(v) {
		return true
	}
	return false
}

// isQuotation reports whether a member only tells where a text comes from. The vendor does not read
// the objects that are named there.
func isQuotation(name string) bool { return name == "results" || name == "annotations" }
