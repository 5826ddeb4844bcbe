package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/policy"
)

// findScopes returns the filter terms that select the requests of each route. Records have the
// label of the rule that decided, but not its route. A route whose labels occur only once in
// the document therefore needs no terms.
func findScopes(rules []policy.WrittenRule) map[string]string {
	uses := map[string]int{}
	for i := range rules {
		uses[rules[i].Label]++
	}
	scopes := map[string]string{}
	for i := range rules {
		if route := rules[i].Route; uses[rules[i].Label] > 1 {
			scopes[route] = routeTerms(route, rules)
		}
	}
	return scopes
}

// routeTerms returns terms for the models that clients request to use a route. The presets
// have the rules of auto, and auto means auto-embed for embeddings.
func routeTerms(route string, rules []policy.WrittenRule) string {
	names, endpoint := []string{route}, ""
	switch route {
	case "auto":
		endpoint = "endpoint:chat "
		for _, preset := range dialRoutes[1:] {
			if !slices.ContainsFunc(rules, func(r policy.WrittenRule) bool { return r.Route == preset.route }) {
				names = append(names, preset.route)
			}
		}
	case "auto-embed":
		names, endpoint = append(names, "auto"), "endpoint:embeddings "
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("requested_model:%q", name)
	}
	return endpoint + strings.Join(names, " ")
}

// ruleFilter returns the filter that selects the requests of a rule; nil if no filter can
// express the label.
func ruleFilter(label, scope string) *string {
	if strings.ContainsAny(label, `"`) {
		return nil
	}
	filter := strings.TrimSpace(fmt.Sprintf(`rule:"%s" %s`, label, scope))
	return &filter
}
