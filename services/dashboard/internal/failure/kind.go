package failure

import "regexp"

// The error of a request for a model or route that serves another kind of request (pkg/decide)
// has OtherKindWords after the quoted name. A name can contain them too, so the store looks for
// OtherKindStart. QuotedKindStart is a part of a name, in which a quote has a backslash before it.
const (
	OtherKindWords  = ", not for "
	OtherKindStart  = `" is for `
	QuotedKindStart = `\` + OtherKindStart
)

var kindsPattern = regexp.MustCompile(`" is for (\w+), not for (\w+)$`)

// findKinds returns the kind that the requested model serves and the kind of the request,
// such as "embeddings" and "chat".
func findKinds(message string) (kind, asked string) {
	if found := kindsPattern.FindStringSubmatch(message); found != nil {
		return found[1], found[2]
	}
	return "another kind of request", "this one"
}
