package services

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/docsref"
)

// metric is an instrument as the code creates it.
type metric struct{ name, kind, unit, description string }

var instrumentCall = regexp.MustCompile(`^(?:Int64|Float64)(?:Observable)?(Counter|UpDownCounter|Gauge|Histogram)$`)

// prometheusName returns the name under which /metrics exports an instrument.
func (m metric) prometheusName() string {
	name := strings.ReplaceAll(m.name, ".", "_")
	switch m.unit {
	case "s":
		name += "_seconds"
	case "By":
		name += "_bytes"
	}
	if m.kind == "counter" {
		name += "_total"
	}
	return name
}

// TestMetricsReferenceIsCurrent finds the instruments in the sources, because some of
// them are exported only after an event that a test cannot provoke.
func TestMetricsReferenceIsCurrent(t *testing.T) {
	var all []metric
	for _, root := range []string{".", "../pkg"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "testdata") {
				all = append(all, readMetrics(t, path)...)
			}
			return err
		}))
	}
	require.Greater(t, len(all), 15)
	slices.SortFunc(all, func(a, b metric) int { return strings.Compare(a.name, b.name) })
	rows := [][]string{{"metric", "type", "meaning"}}
	for _, m := range all {
		require.NotEmpty(t, m.description, m.name)
		rows = append(rows, []string{"`" + m.prometheusName() + "`", m.kind, m.description})
	}
	docsref.Check(t, "reference/metrics.md", "metrics", docsref.Table(rows))
}

func readMetrics(t *testing.T, path string) (all []metric) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if m, ok := readTableRow(n); ok {
			all = append(all, m)
			return true
		}
		if m, ok := readHistogram(n); ok {
			all = append(all, m)
			return true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if kind := instrumentCall.FindStringSubmatch(selector.Sel.Name); kind != nil {
			m := metric{name: stringArgument(call), kind: strings.ToLower(kind[1])}
			for _, option := range call.Args[1:] {
				m.readOption(option)
			}
			if m.name != "" {
				all = append(all, m)
			}
		}
		return true
	})
	return all
}

// readTableRow reads a gauge from a table of names and descriptions.
func readTableRow(n ast.Node) (metric, bool) {
	row, ok := n.(*ast.CompositeLit)
	if !ok || len(row.Elts) < 2 {
		return metric{}, false
	}
	m := metric{name: stringLiteral(row.Elts[0]), kind: "gauge", description: stringLiteral(row.Elts[1])}
	return m, strings.HasPrefix(m.name, "signalbox_")
}

// readHistogram reads a telemetry.HistogramSpec.
func readHistogram(n ast.Node) (metric, bool) {
	spec, ok := n.(*ast.CompositeLit)
	if !ok {
		return metric{}, false
	}
	named, ok := spec.Type.(*ast.SelectorExpr)
	if !ok || named.Sel.Name != "HistogramSpec" {
		return metric{}, false
	}
	values := map[string]string{}
	for _, e := range spec.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if name, ok := field.Key.(*ast.Ident); ok {
			values[name.Name] = stringLiteral(field.Value)
		}
	}
	return metric{name: values["Name"], kind: "histogram", unit: values["Unit"], description: values["Description"]}, true
}

func (m *metric) readOption(option ast.Expr) {
	call, ok := option.(*ast.CallExpr)
	if !ok {
		return
	}
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
		switch selector.Sel.Name {
		case "WithDescription":
			m.description = stringArgument(call)
		case "WithUnit":
			m.unit = stringArgument(call)
		}
	}
}

// stringArgument returns the first argument if it is a string literal, else "".
func stringArgument(call *ast.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	return stringLiteral(call.Args[0])
}

func stringLiteral(e ast.Expr) string {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return text
}
