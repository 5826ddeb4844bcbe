package policy

import "fmt"

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
func (ps Problems) Error() string {
	s := ""
	for i, p := range ps {
		if i > 0 {
			s += "\n"
		}
		s += p.String()
	}
	return s
}
