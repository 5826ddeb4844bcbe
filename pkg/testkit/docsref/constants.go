package docsref

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Constant is a string constant with its comment, for a table in the documentation.
type Constant struct{ Name, Value, Doc string }

// Constants returns the string constants of a Go file for which match returns true, in source order. A
// constant without a comment fails the test, because the documentation shows the comment.
func Constants(t testing.TB, file string, match func(name string) bool) []Constant {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	require.NoError(t, err)
	var all []Constant
	for _, d := range parsed.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Values) != 1 || !match(spec.Names[0].Name) {
				continue
			}
			all = append(all, describeConstant(t, spec))
		}
	}
	require.NotEmpty(t, all, file)
	return all
}

func describeConstant(t testing.TB, spec *ast.ValueSpec) Constant {
	t.Helper()
	name := spec.Names[0].Name
	literal, ok := spec.Values[0].(*ast.BasicLit)
	require.True(t, ok, name)
	value, err := strconv.Unquote(literal.Value)
	require.NoError(t, err, name)
	doc := strings.TrimSpace(spec.Comment.Text())
	if doc == "" {
		doc = strings.TrimPrefix(strings.TrimSpace(spec.Doc.Text()), name+" ")
	}
	require.NotEmpty(t, doc, "%s needs a comment: the documentation shows it", name)
	return Constant{Name: name, Value: value, Doc: strings.Join(strings.Fields(doc), " ")}
}

// ConstantTable renders constants as a Markdown table. The header of the first column is head.
func ConstantTable(head string, all []Constant) string {
	rows := [][]string{{head, "meaning"}}
	for _, c := range all {
		rows = append(rows, []string{"`" + c.Value + "`", strings.TrimSuffix(c.Doc, ".")})
	}
	return Table(rows)
}
