package web

import (
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
	slices.Sort(listed)
	slices.Sort(served)
	require.Equal(t, served, listed)
}
