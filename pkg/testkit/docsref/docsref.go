// Package docsref keeps the reference tables in /docs equal to the code that defines them. A test renders
// a table and calls Check. Check compares the table with the block of that name in a page:
//
//	<!-- generated: error-codes -->
//	| code | status |
//	…
//	<!-- end: error-codes -->
//
// `make docs` runs these tests with UPDATE_DOCS=1. Check then rewrites the blocks instead.
package docsref

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Check fails the test if the content of the block with this name differs from text, or if the page has no
// such block. With UPDATE_DOCS=1 it writes text into the block instead.
func Check(t testing.TB, page, name, text string) {
	t.Helper()
	file := filepath.Join(findRoot(t), "docs", page)
	old, err := os.ReadFile(file)
	require.NoError(t, err)
	updated, err := replaceBlock(string(old), name, text)
	require.NoError(t, err, page)
	if os.Getenv("UPDATE_DOCS") != "" {
		require.NoError(t, os.WriteFile(file, []byte(updated), 0o644))
		return
	}
	require.Equal(t, updated, string(old), "docs/%s is stale: run make docs", page)
}

func replaceBlock(page, name, text string) (string, error) {
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
	head, rest, found := strings.Cut(page, begin)
	_, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("the page has no block %q", name)
	}
	return head + begin + strings.TrimRight(text, "\n") + "\n" + end + tail, nil
}

// findRoot returns the root of the repository, the directory that contains go.work.
func findRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, dir, parent, "no go.work above the working directory")
		dir = parent
	}
}

// Table renders rows as a Markdown table. The first row is the header. Cells must not contain line breaks.
// Table escapes vertical bars.
func Table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}
