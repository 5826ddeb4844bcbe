package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one fault of a document. The same codes are shown by the command
// line, the API and the UI.
type Problem struct {
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Code       string `json:"code"`
	Message    string `json:"message"`
	DidYouMean string `json:"did_you_mean,omitempty"`
}

// Codes of problems.
const (
	CodeSyntax             = "SYNTAX"
	CodeUnsupportedYAML    = "UNSUPPORTED_YAML"
	CodeTooLarge           = "TOO_LARGE"
	CodeDuplicateKey       = "DUPLICATE_KEY"
	CodeDuplicateEntry     = "DUPLICATE_ENTRY"
	CodeUnknownField       = "UNKNOWN_FIELD"
	CodeMissingField       = "MISSING_FIELD"
	CodeWrongType          = "WRONG_TYPE"
	CodeBadValue           = "BAD_VALUE"
	CodeBadVersion         = "BAD_VERSION"
	CodeBadName            = "BAD_NAME"
	CodeNameTaken          = "NAME_TAKEN"
	CodeUnknownProvider    = "UNKNOWN_PROVIDER"
	CodeUnknownKind        = "UNKNOWN_KIND"
	CodeBadURL             = "BAD_URL"
	CodePrivateAddress     = "PRIVATE_ADDRESS"
	CodeBadSecretRef       = "BAD_SECRET_REF"
	CodeUnknownModel       = "UNKNOWN_MODEL"
	CodeNoEndpoint         = "NO_ENDPOINT"
	CodeUnknownCapability  = "UNKNOWN_CAPABILITY"
	CodeBadPrice           = "BAD_PRICE"
	CodeWrongKind          = "WRONG_KIND"
	CodeEmbeddingRoute     = "EMBEDDING_ROUTE"
	CodeDeadRule           = "DEAD_RULE"
	CodeAmbiguousSelection = "AMBIGUOUS_SELECTION"
	CodeBadPattern         = "BAD_PATTERN"
	CodeUnknownCondition   = "UNKNOWN_CONDITION"
	CodeBadCondition       = "BAD_CONDITION"
	CodeUnpricedModel      = "UNPRICED_MODEL"
	CodeImpossible         = "CAPABILITY_IMPOSSIBLE"
	CodeNoCandidate        = "NO_CANDIDATE_AFTER_REQUIRE"
	CodeCycle              = "CYCLE"
	CodeWeightSumZero      = "WEIGHT_SUM_ZERO"
)

// Problems are all faults of a document, in its order. It is an error when it
// is not empty.
type Problems []Problem

// String is one line for a person.
func (p Problem) String() string {
	s := fmt.Sprintf("%d:%d: %s: %s: %s", p.Line, p.Column, p.Path, p.Code, p.Message)
	if p.DidYouMean != "" {
		s += fmt.Sprintf(", did you mean %q?", p.DidYouMean)
	}
	return s
}

// Error has one line per problem.
func (ps Problems) Error() string { return ps.In("") }

// In is Error with the name of the file before every line, in the form that
// editors can jump to.
func (ps Problems) In(file string) string {
	if file != "" {
		file += ":"
	}
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = file + p.String()
	}
	return strings.Join(lines, "\n")
}

// sorted is in the order of the document, which is also the order in which a
// person mends it. The last of very many says that there may be more.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if n := len(ps); n >= maxProblems {
		more := Problem{Line: ps[n-1].Line, Column: ps[n-1].Column, Code: CodeTooLarge, Message: "there may be more problems than these"}
		return append(ps, more)
	}
	return ps
}
