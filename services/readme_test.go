package services

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every path that README.md mentions must exist, because files move.
func TestReadmeNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	named := regexp.MustCompile("`(pkg|proto|services)/([^`<]+)`").FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		_, err := os.Stat(sources[m[1]] + "/" + strings.TrimSuffix(m[2], "/"))
		require.NoError(t, err)
	}
}
