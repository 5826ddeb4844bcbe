package policy

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// WrittenRule is a rule as a document has it. A document needs to be valid YAML for it, but
// not a valid policy, so that an editor can list the rules of a draft.
type WrittenRule struct {
	Route string
	// Index is the position of the rule in select.
	Index int
	// Name is empty if the rule has none. Label names it in decisions and records.
	Name, Label string
	// Line is where the rule starts, from 1.
	Line int
	// When has the conditions, and Action the other fields but the name.
	When, Action []WrittenField
	// Text is the whole rule on one line, without comments.
	Text string
}

// WrittenField is a field of a rule. Value is on one line.
type WrittenField struct{ Name, Value string }

// ListRules returns the rules of a document in its order. It returns Problems if the
// document is not valid YAML.
func ListRules(document []byte) ([]WrittenRule, error) {
	root, problems := parse(document)
	if len(problems) > 0 {
		return nil, problems.sortByPosition()
	}
	var all []WrittenRule
	for _, route := range mapEntries(findEntry(root, "routes")) {
		all = append(all, listRouteRules(route.name, findEntry(route.node, "select"))...)
	}
	return all, nil
}

func listRouteRules(route string, node ast.Node) []WrittenRule {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return nil
	}
	rules := make([]WrittenRule, len(list.Values))
	for i, item := range list.Values {
		rules[i] = describeRule(route, i, item)
	}
	return rules
}

func describeRule(route string, index int, item ast.Node) WrittenRule {
	r := WrittenRule{Route: route, Index: index, Label: fmt.Sprintf("select[%d]", index), Text: formatInline(item)}
	if t := (value{node: item}).positionToken(); t != nil && t.Position != nil {
		r.Line = t.Position.Line
	}
	for _, f := range mapEntries(item) {
		switch f.name {
		case "name":
			r.Name = formatInline(f.node)
		case "when":
			for _, c := range mapEntries(f.node) {
				r.When = append(r.When, WrittenField{c.name, formatInline(c.node)})
			}
		default:
			r.Action = append(r.Action, WrittenField{f.name, formatInline(f.node)})
		}
	}
	if r.Name != "" {
		r.Label = r.Name
	}
	return r
}

// mapEntries returns the entries of a mapping, and nothing for another node.
func mapEntries(node ast.Node) (all []value) {
	m, ok := node.(ast.MapNode)
	if !ok {
		return nil
	}
	for it := m.MapRange(); it.Next(); {
		all = append(all, value{name: formatKey(it.Key()), node: it.Value(), key: it.Key().GetToken()})
	}
	return all
}

func findEntry(node ast.Node, name string) ast.Node {
	for _, e := range mapEntries(node) {
		if e.name == name {
			return e.node
		}
	}
	return nil
}

// formatInline writes a node on one line, without comments and quotes.
func formatInline(node ast.Node) string {
	switch n := node.(type) {
	case nil:
		return ""
	case *ast.StringNode:
		return strings.Join(strings.Fields(n.Value), " ")
	case *ast.LiteralNode:
		return strings.Join(strings.Fields(n.Value.Value), " ")
	case *ast.SequenceNode:
		return "[" + joinInline(n.Values) + "]"
	case ast.MapNode:
		var parts []string
		for _, e := range mapEntries(node) {
			parts = append(parts, e.name+": "+formatInline(e.node))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return node.GetToken().Value
}

func joinInline(nodes []ast.Node) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = formatInline(n)
	}
	return strings.Join(parts, ", ")
}
