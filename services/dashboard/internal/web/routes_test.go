package web

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoutesFileListsEveryRoute compares testdata/routes.txt, which other tests
// use, with the routing table.
func TestRoutesFileListsEveryRoute(t *testing.T) {
	list, err := os.ReadFile("../../testdata/routes.txt")
	require.NoError(t, err)
	var listed, served []string
	for _, line := range regexp.MustCompile(`(?m)^\w+\+? +([A-Z]+) +(/\S*)$`).FindAllStringSubmatch(string(list), -1) {
		listed = append(listed, line[1]+" "+line[2])
	}
	for pattern, m := range (&server{}).routes() {
		for method := range m {
			served = append(served, method+" "+pattern)
		}
	}
	s := &server{}
	declared := slices.Concat(s.sessions.Routes(), s.newAPI().routes(), s.pageRoutes())
	require.Len(t, served, len(declared)+1, "no route is declared twice; openapi.json is the other one")
	slices.Sort(listed)
	slices.Sort(served)
	require.Equal(t, served, listed)
}

// TestScopesFileListsEveryCall makes a new route of the API choose the scope that tokens
// need for it.
func TestScopesFileListsEveryCall(t *testing.T) {
	list, err := os.ReadFile("../../testdata/token_scopes.txt")
	require.NoError(t, err)
	listed := regexp.MustCompile(`(?m)^\w+ +[A-Z]+ +/\S*$`).FindAllString(string(list), -1)
	public, err := os.ReadFile("../../testdata/routes.txt")
	require.NoError(t, err)
	var served []string
	s := &server{}
	for _, r := range slices.Concat(s.sessions.Routes(), s.newAPI().routes()) {
		if !regexp.MustCompile(`(?m)^public +` + r.Method + ` +` + regexp.QuoteMeta(r.Pattern) + `$`).Match(public) {
			served = append(served, fmt.Sprintf("%-7s%-8s%s", r.Scope(), r.Method, r.Pattern))
		}
	}
	slices.Sort(listed)
	slices.Sort(served)
	require.Equal(t, served, listed)
}
