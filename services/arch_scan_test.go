package services

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const prefix = "github.com/signalbox/signalbox/"

// sourceFile holds what the rules need to know about a source file.
type sourceFile struct {
	dir       string // of its package, from the top of the repository: pkg/apperr
	name      string
	imports   []string
	doc       bool // it has the package comment
	generated bool
}

// isTest reports whether the file is only linked into tests: it is a test itself or
// part of a shared test suite.
func (f sourceFile) isTest() bool {
	return strings.HasSuffix(f.name, "_test.go") || isTestSuite(f.dir)
}

// isTestSuite reports whether a package exists only for tests.
func isTestSuite(dir string) bool {
	base := path.Base(dir)
	return strings.HasSuffix(base, "test") || strings.HasPrefix(dir, "pkg/testkit/")
}

// scanTree reads every Go file in fsys, which is the directory root of the repository.
func scanTree(fsys fs.FS, root string) ([]sourceFile, error) {
	var files []sourceFile
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		source, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		f, err := parseFile(path.Join(root, p), source)
		files = append(files, f)
		return err
	})
	return files, err
}

func parseFile(name string, source []byte) (sourceFile, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return sourceFile{}, err
	}
	f := sourceFile{dir: path.Dir(name), name: path.Base(name), doc: tree.Doc != nil, generated: ast.IsGenerated(tree)}
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return sourceFile{}, err
		}
		f.imports = append(f.imports, imported)
	}
	return f, nil
}
