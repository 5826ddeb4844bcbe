package golden

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCase(t *testing.T) {
	c, err := parseCase("dir/name.txt", "-- input --\nin\n-- result --\nout\n")
	require.NoError(t, err)
	require.Equal(t, Case{Name: "name", Input: "in\n", Result: "out\n", file: "dir/name.txt"}, c)
	for _, text := range []string{"", "a", "a\r\n", "-- result --\n", `\`} {
		c.Input = text
		again, err := parseCase("dir/name.txt", c.format(text))
		require.NoError(t, err)
		require.Equal(t, text, again.Input)
		require.Equal(t, text, again.Result)
	}
}

func TestStaleCases(t *testing.T) {
	for _, content := range []string{"-- input --\nin\n", "-- input --\nin\n-- other --\n", "-- input --\nin\n-- result --\n-- other --\n"} {
		c, err := parseCase("name.txt", content)
		require.ErrorIs(t, err, errStaleResult)
		require.Equal(t, "in\n", c.Input)
	}
	for _, content := range []string{"", "text", "-- result --\nout\n-- input --\nin\n"} {
		_, err := parseCase("name.txt", content)
		require.Error(t, err)
		require.NotErrorIs(t, err, errStaleResult, "-update keeps the file")
	}
}

func TestResults(t *testing.T) {
	names := []string{"a", "b"}
	r, err := parseResults("-- a --\n1\n-- b --\n2\n", names)
	require.NoError(t, err)
	r.Check(t, "a", "1\n")
	r.Check(t, "b", "2\n")
	for _, stale := range []string{"-- a --\n1\n-- b --\n2\n-- c --\n3\n", "-- b --\n2\n-- a --\n1\n", "-- a --\n-- a --\n"} {
		_, err := parseResults(stale, names)
		require.ErrorContains(t, err, "is not as -update writes it")
	}
}
