package docsref

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplaceBlock(t *testing.T) {
	page := "# A\n<!-- generated: x -->\nold\n<!-- end: x -->\nafter\n"
	got, err := replaceBlock(page, "x", Table([][]string{{"a", "b"}, {"1|2", "3"}}))
	require.NoError(t, err)
	require.Equal(t, "# A\n<!-- generated: x -->\n| a | b |\n|---|---|\n| 1\\|2 | 3 |\n<!-- end: x -->\nafter\n", got)
	again, err := replaceBlock(got, "x", "| a |\n")
	require.NoError(t, err)
	require.NotEqual(t, got, again)
	for _, missing := range []string{"y", ""} {
		_, err = replaceBlock(page, missing, "")
		require.ErrorContains(t, err, "no block")
	}
}
