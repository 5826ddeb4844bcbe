package failure

import "regexp"

// OtherKindWords are in the error of a request for a model or route that serves another kind
// of request (pkg/decide). The store and the filters of the groups recognize it by them.
const OtherKindWords = ", not for "

var kindsPattern = regexp.MustCompile(`" is for (\w+), not for (\w+)$`)

// findKinds returns the kind that the requested model serves and the kind of the request,
// such as "embeddings" and "chat".
func findKinds(message string) (kind, asked string) {
	if found := kindsPattern.FindStringSubmatch(message); found != nil {
		return found[1], found[2]
	}
	return "another kind of request", "this one"
}
