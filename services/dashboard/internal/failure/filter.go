package failure

import (
	"regexp"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// maxFilterBytes is the longest filter that the API accepts.
const maxFilterBytes = 400

// Filter returns the filter that selects exactly the requests of the group. ok is false if
// no filter can express the subject.
func (g *Group) Filter() (filter string, ok bool) {
	terms := []string{"-code:*", "has:error"}
	if g.Code != "" {
		terms = []string{"code:" + quote(string(g.Code))}
	}
	subject := g.cause().subject
	switch {
	case g.Account:
	case subject == ByNothing:
	case g.Subject == "":
		terms = append(terms, "-"+string(subject)+":*")
	default:
		terms = append(terms, string(subject)+":"+quote(g.Subject))
	}
	terms = append(terms, g.limitTerms()...)
	if g.OtherKind {
		terms = append(terms, `"`+OtherKindWords+`"`)
	} else if g.Code == apperr.ModelNotFound {
		terms = append(terms, `-"`+OtherKindWords+`"`)
	}
	filter = strings.Join(terms, " ")
	return filter, len(filter) <= maxFilterBytes && !unquotable.MatchString(g.Subject) && !g.nameHasKindWords()
}

// nameHasKindWords reports whether the requested name contains the words by which the filter
// recognizes another kind. Then they are in every error of the name.
func (g *Group) nameHasKindWords() bool {
	return g.Code == apperr.ModelNotFound && strings.Contains(strings.ToLower(g.Subject), OtherKindWords)
}

func (g *Group) limitTerms() (terms []string) {
	switch g.Limit {
	case TokensPerMinute:
		terms = append(terms, `"`+TokenWords+`"`)
	case RequestsPerMinute:
		terms = append(terms, `-"`+TokenWords+`"`)
	case PerDay:
		terms = append(terms, `"`+DayWords+`"`)
	case PerMonth:
		terms = append(terms, `-"`+DayWords+`"`)
	}
	switch {
	case g.Account:
		terms = append(terms, `"`+AccountWords+`"`)
	case g.Limit != "":
		terms = append(terms, `-"`+AccountWords+`"`)
	}
	return terms
}

// plainValue matches values that need no quotes. unquotable matches values that no quotes
// can express.
var (
	plainValue = regexp.MustCompile(`^[^\s"*:]+$`)
	unquotable = regexp.MustCompile(`["\pC]`)
)

func quote(value string) string {
	if plainValue.MatchString(value) {
		return value
	}
	return `"` + value + `"`
}
