package quality

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The version of the predictor covers every number in the package, so that a changed
// prediction never has the version of another one.
func TestTheVersionCoversEveryConstant(t *testing.T) {
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		require.NoError(t, err)
		for _, name := range numericConstants(parsed) {
			require.Contains(t, difficultyConstants(), name, file.Name())
		}
	}
}

func numericConstants(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if b, isBasic := v.Values[0].(*ast.BasicLit); !isBasic || b.Kind == token.INT {
				names = append(names, v.Names[0].Name)
			}
		}
	}
	return names
}
