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

// file is what the rules need to know of a source file.
type file struct {
	dir       string // of its package, from the top of the tree: pkg/apperr
	name      string
	imports   []string
	doc       bool // it has the package's comment
	generated bool
}

// test tells whether the file is only linked into tests: a test itself, or
// part of a suite that tests share.
func (f file) test() bool {
	return strings.HasSuffix(f.name, "_test.go") || suite(f.dir)
}

// suite tells whether a package of ours exists for tests only.
func suite(dir string) bool {
	base := path.Base(dir)
	return strings.HasSuffix(base, "test") || base == "testenv"
}

// scan reads every Go file below fsys, whose place in the tree is root.
func scan(fsys fs.FS, root string) ([]file, error) {
	var files []file
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
		f, err := parse(path.Join(root, p), source)
		files = append(files, f)
		return err
	})
	return files, err
}

func parse(name string, source []byte) (file, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return file{}, err
	}
	f := file{dir: path.Dir(name), name: path.Base(name), doc: tree.Doc != nil, generated: ast.IsGenerated(tree)}
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return file{}, err
		}
		f.imports = append(f.imports, imported)
	}
	return f, nil
}
