package policy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
)

func TestKnownWordsAreWhatTheCompilerReads(t *testing.T) {
	words := policy.KnownWords(load(t))
	for path, field := range map[string]string{
		"":                                      "routes",
		"providers.*.limits":                    "concurrent",
		"models.*.price[]":                      "cache_write_1h",
		"models.*.price.tiers[]":                "above",
		"routes.*.select[]":                     "min_quality",
		"routes.*.select[].when":                "feature.code",
		"routes.*.select[].when.request.tokens": "gte",
		"routes.*.select[].require[]":           "provider.tag",
		"routes.*.tests[].expect":               "rule",
		"experiments.*.rubrics":                 "code",
	} {
		require.Contains(t, words.Fields[path], field, path)
	}
	for path, value := range map[string]string{
		"routes.*.select[].strategy":                  "cheapest",
		"routes.*.select[].aim":                       "balanced",
		"routes.*.select[].when.request.capability[]": "tools",
		"routes.*.select[].when.time.weekday":         "mon",
		"defaults.retries.on[]":                       "rate_limit",
		"providers.*.allow_private":                   "true",
		"providers.*.kind":                            "anthropic",
	} {
		require.Contains(t, words.Values[path], value, path)
	}
	require.Subset(t, words.Models, []string{"defaults.baseline", "routes.*.select[].target", "routes.*.select[].candidates[]", "routes.*.on_failure[]", "experiments.*.judge"})
	require.Subset(t, words.Providers, []string{"models.*.endpoints[].provider", "routes.*.select[].require[].provider"})
}

// TestWordsDocumentHasEveryPart finds the lists of fields in the source, so that a new part of
// the format cannot be forgotten in words.yaml.
func TestWordsDocumentHasEveryPart(t *testing.T) {
	words := policy.KnownWords(load(t))
	lists := writtenFieldLists(t)
	require.Greater(t, len(lists), 20)
	for position, list := range lists {
		found := false
		for _, known := range words.Fields {
			found = found || slices.Equal(known, list)
		}
		require.True(t, found, "words.yaml has no part with the fields of %s: %s", position, strings.Join(list, ", "))
	}
}

// writtenFieldLists returns the arguments of all calls of readFields that are strings.
func writtenFieldLists(t *testing.T) map[string][]string {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	lists, positions := map[string][]string{}, token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(positions, name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if to, ok := call.Fun.(*ast.SelectorExpr); ok && to.Sel.Name == "readFields" {
				if list := literals(call.Args[1:]); len(list) > 0 {
					lists[positions.Position(call.Pos()).String()] = list
				}
			}
			return true
		})
	}
	return lists
}

func literals(args []ast.Expr) (texts []string) {
	for _, a := range args {
		if l, ok := a.(*ast.BasicLit); ok {
			text, _ := strconv.Unquote(l.Value)
			texts = append(texts, text)
		}
	}
	return texts
}
