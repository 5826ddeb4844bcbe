package web

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryRouteSaysWhoMayCallIt holds the list that the walks are made from
// against the routing table.
func TestEveryRouteSaysWhoMayCallIt(t *testing.T) {
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
