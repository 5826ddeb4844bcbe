// Package golden stores the expected texts of tests in archives. An archive is a text file
// with named sections. A section can hold a text, or the lines in which the text differs
// from another section of the archive:
//
//	-- openai --
//	{
//	  "model": "gpt-4.1"
//	}
//	-- groq, compared with openai --
//	replace "gpt-4.1" with "llama-3.3"
//	... 2 lines
//	-}
//	+  "user": "ann"
//	+}
//
// Reading an archive returns exactly the bytes that were written. Tests that import this
// package have the flag -update, which accepts the texts that the code produces.
package golden

import (
	"flag"
	"fmt"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// IsUpdate reports whether the test binary has the flag -update.
func IsUpdate() bool { return *update }

// RequireEqual fails the test if the texts differ, and prints the lines that differ.
func RequireEqual(t testing.TB, want, got string) {
	t.Helper()
	if want != got {
		t.Fatalf("the text differs from the golden text; the flag -update accepts it\n%s\n%s",
			describeFirstDifference(want, got), Difference(want, got))
	}
}

// describeFirstDifference shows the first byte that differs and its surroundings, because
// it is hard to find in a long line.
func describeFirstDifference(want, got string) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	line := 1 + strings.Count(want[:i], "\n")
	column := i - strings.LastIndexByte(want[:i], '\n')
	return fmt.Sprintf("line %d, byte %d:\n  want %q\n  got  %q", line, column, surroundings(want, i), surroundings(got, i))
}

// surroundings returns up to 30 bytes of the line before and after an offset.
func surroundings(text string, offset int) string {
	start := max(strings.LastIndexByte(text[:offset], '\n')+1, offset-30)
	end := min(len(text), offset+30)
	if n := strings.IndexByte(text[offset:end], '\n'); n >= 0 {
		end = offset + n + 1
	}
	return text[start:end]
}
