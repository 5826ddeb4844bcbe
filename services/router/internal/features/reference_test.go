package features

import (
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/testkit/docsref"
)

// structuralDocs describes the features that the proxy measures.
var structuralDocs = [][2]string{
	{"messages", "messages of the conversation"},
	{"turns", "messages of the user"},
	{"text_bytes", "bytes of text in all messages"},
	{"user_bytes", "bytes of text in the user's messages"},
	{"tools", "tools that the request offers"},
	{"images", "images in the messages"},
	{"max_output", "the output tokens that the client allows; 0 means no limit"},
	{"choices", "responses that the client wants, if it wants several"},
	{"stream", "1 if the client asked for a stream"},
	{"inputs", "texts of an embeddings request"},
}

// TestFeatureReferenceIsCurrent renders the list in the package doc as a table, and
// checks that it names every feature that a policy can use.
func TestFeatureReferenceIsCurrent(t *testing.T) {
	rows := [][]string{{"feature", "meaning"}}
	var named []string
	for _, d := range structuralDocs {
		named = append(named, d[0])
		rows = append(rows, []string{"`" + d[0] + "`", d[1]})
	}
	for _, d := range readPackageList(t) {
		names := strings.Split(strings.ReplaceAll(d[0], " ", ""), ",")
		named = append(named, names...)
		rows = append(rows, []string{"`" + strings.Join(names, "`, `") + "`", d[1]})
	}
	known := policy.FeatureNames()
	slices.Sort(named)
	slices.Sort(known)
	require.Equal(t, known, named, "the package doc must describe every feature")
	docsref.Check(t, "reference/features.md", "features", docsref.Table(rows))
}

var listLine = regexp.MustCompile(`^\t(\S.*?)(?:\s{2,}(.*))?$`)

// readPackageList returns the entries of the indented list in the package doc. An
// entry is one or more names, two spaces and a meaning; lines that begin with more
// spaces continue it.
func readPackageList(t *testing.T) [][2]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "features.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	var all [][2]string
	for line := range strings.Lines(file.Doc.Text()) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "\t") {
			continue
		}
		last := len(all) - 1
		switch text := strings.TrimSpace(line); {
		case strings.HasPrefix(line, "\t "):
			all[last][1] = strings.TrimSpace(all[last][1] + " " + text)
		case last >= 0 && strings.HasSuffix(all[last][0], ","):
			m := listLine.FindStringSubmatch(line)
			all[last] = [2]string{all[last][0] + m[1], m[2]}
		default:
			m := listLine.FindStringSubmatch(line)
			all = append(all, [2]string{m[1], m[2]})
		}
	}
	return all
}
