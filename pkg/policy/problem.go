package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one error in a document. The command line, the API and the UI show the
// same problem codes.
type Problem struct {
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Code       string `json:"code"`
	Message    string `json:"message"`
	DidYouMean string `json:"did_you_mean,omitempty"`
}

// These are the problem codes.
const (
	CodeSyntax             = "SYNTAX"                     // the document is not valid YAML
	CodeUnsupportedYAML    = "UNSUPPORTED_YAML"           // the document uses a YAML feature that is not supported, such as anchors, or is nested too deeply
	CodeTooLarge           = "TOO_LARGE"                  // the document or a part of it is too large, or there are too many problems to list
	CodeDuplicateKey       = "DUPLICATE_KEY"              // a mapping contains a name twice
	CodeDuplicateEntry     = "DUPLICATE_ENTRY"            // a list contains an entry twice
	CodeUnknownField       = "UNKNOWN_FIELD"              // the field does not exist
	CodeMissingField       = "MISSING_FIELD"              // a required field is missing or empty
	CodeWrongType          = "WRONG_TYPE"                 // the value has the wrong type
	CodeBadValue           = "BAD_VALUE"                  // the value is not allowed
	CodeBadVersion         = "BAD_VERSION"                // the version of the policy format is not supported
	CodeBadName            = "BAD_NAME"                   // the name is empty or too long, or contains characters that are not allowed
	CodeNameTaken          = "NAME_TAKEN"                 // another model, route or alias has the name
	CodeUnknownProvider    = "UNKNOWN_PROVIDER"           // the provider is not defined, or it does not serve the model
	CodeUnknownKind        = "UNKNOWN_KIND"               // the kind of provider, model or route does not exist
	CodeBadURL             = "BAD_URL"                    // the URL is not absolute, has a scheme that is not allowed, or contains a user, query or fragment
	CodePrivateAddress     = "PRIVATE_ADDRESS"            // the URL has a private address, and the provider does not set allow_private
	CodeBadSecretRef       = "BAD_SECRET_REF"             // the reference to a secret is neither env:NAME nor file:/path
	CodeSecretNotAllowed   = "SECRET_NOT_ALLOWED"         // a published policy uses a secret that the operator did not allow for this address
	CodeUnknownModel       = "UNKNOWN_MODEL"              // the name is not a model of the policy, or not a candidate of the rule
	CodeNoEndpoint         = "NO_ENDPOINT"                // the model has no endpoint at any provider
	CodeUnknownCapability  = "UNKNOWN_CAPABILITY"         // the capability does not exist
	CodeBadPrice           = "BAD_PRICE"                  // the price is invalid, or it differs too much from the catalog's price
	CodeWrongKind          = "WRONG_KIND"                 // the model or the provider is of the wrong kind
	CodeEmbeddingRoute     = "EMBEDDING_ROUTE"            // an embeddings route uses more than one model
	CodeDeadRule           = "DEAD_RULE"                  // the rule can never apply
	CodeAmbiguousSelection = "AMBIGUOUS_SELECTION"        // the rule has more than one action, or none
	CodeBadPattern         = "BAD_PATTERN"                // the regular expression is invalid, too complex, or matches the empty string
	CodeUnknownCondition   = "UNKNOWN_CONDITION"          // the condition does not exist
	CodeBadCondition       = "BAD_CONDITION"              // the value does not fit the condition
	CodeUnpricedModel      = "UNPRICED_MODEL"             // a strategy compares costs, but the model has no price
	CodeImpossible         = "CAPABILITY_IMPOSSIBLE"      // no candidate has a required capability
	CodeNoCandidate        = "NO_CANDIDATE_AFTER_REQUIRE" // the requirements exclude every candidate
	CodeCycle              = "CYCLE"                      // routes refer to each other in a circle
	CodeWeightSumZero      = "WEIGHT_SUM_ZERO"            // all weights are zero
)

// Problems lists the errors that Compile found in a document, in the order of their
// positions. A non-empty list is an error.
type Problems []Problem

// String formats the problem as one line.
func (p Problem) String() string {
	s := fmt.Sprintf("%d:%d: %s: %s: %s", p.Line, p.Column, p.Path, p.Code, p.Message)
	if p.DidYouMean != "" {
		s += fmt.Sprintf(", did you mean %q?", p.DidYouMean)
	}
	return s
}

// Error returns one line per problem.
func (ps Problems) Error() string { return ps.FormatForFile("") }

// FormatForFile returns one line per problem. Each line starts with the file name, so
// that editors can jump to the position.
func (ps Problems) FormatForFile(file string) string {
	if file != "" {
		file += ":"
	}
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = file + p.String()
	}
	return strings.Join(lines, "\n")
}

// sortByPosition sorts the problems by their position in the document. If the list has
// reached maxProblems, it appends a note that the document may have more problems.
func (ps Problems) sortByPosition() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if n := len(ps); n >= maxProblems {
		more := Problem{Line: ps[n-1].Line, Column: ps[n-1].Column, Code: CodeTooLarge, Message: "too many problems: only the first ones are listed; fix them and try again"}
		return append(ps, more)
	}
	return ps
}
