package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// errNotEditable is returned for a layout of YAML that splitRules does not know.
var errNotEditable = errors.New("the rules are written in a way that cannot be changed automatically: change the text by hand")

// MoveRule moves a rule of a route to another position and returns the new document. All
// other text stays as it is. A comment moves with its rule if it is on the same line, inside
// the rule, or directly above it.
func MoveRule(document, route string, from, to int) (string, error) {
	text, err := splitRules(document, route)
	if err != nil {
		return "", err
	}
	if n := len(text.rules); from < 0 || from >= n || to < 0 || to >= n {
		return "", fmt.Errorf("the route %q has %d rules: the positions must be from 0 to %d", route, n, n-1)
	}
	text.rules = moveItem(text.rules, from, to)
	return checkEdit(text.String(), document, route, func(rules []string) []string { return moveItem(rules, from, to) })
}

func moveItem(all []string, from, to int) []string {
	item := all[from]
	return slices.Insert(slices.Delete(slices.Clone(all), from, from+1), to, item)
}

// AddRule inserts a rule, which is a mapping in braces on one line, before the rule at a
// position, and returns the new document.
func AddRule(document, route string, at int, rule string) (string, error) {
	root, problems := parse([]byte(rule))
	if len(problems) > 0 || !strings.HasPrefix(rule, "{") || strings.ContainsAny(rule, "\r\n") || len(mapEntries(root)) == 0 {
		return "", errors.New("a new rule must be a mapping in braces on one line")
	}
	text, err := splitRules(document, route)
	if err != nil {
		return "", err
	}
	if n := len(text.rules); at < 0 || at > n {
		return "", fmt.Errorf("the route %q has %d rules: the position must be from 0 to %d", route, n, n)
	}
	text.insert(at, rule)
	return checkEdit(text.String(), document, route, func(rules []string) []string { return slices.Insert(rules, at, formatInline(root)) })
}

// checkEdit returns the changed document if its route has exactly the expected rules.
func checkEdit(changed, document, route string, edit func([]string) []string) (string, error) {
	before, err := rulesOf(document, route)
	if err != nil {
		return "", err
	}
	after, err := rulesOf(changed, route)
	if err != nil || !slices.Equal(after, edit(before)) {
		return "", errNotEditable
	}
	return changed, nil
}

func rulesOf(document, route string) (texts []string, err error) {
	all, err := ListRules([]byte(document))
	for _, r := range all {
		if r.Route == route {
			texts = append(texts, r.Text)
		}
	}
	return texts, err
}

// splitRules cuts a document at the rules of a route.
func splitRules(document, route string) (*rulesText, error) {
	root, problems := parse([]byte(document))
	if len(problems) > 0 {
		return nil, problems.sortByPosition()
	}
	list, ok := findEntry(findEntry(findEntry(root, "routes"), route), "select").(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return nil, fmt.Errorf("the document has no route %q with a list of rules", route)
	}
	if list.IsFlowStyle {
		return splitFlowRules(document, list)
	}
	return splitBlockRules(document, list)
}
