package policydiff

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// UnifiedDiff compares two texts line by line. The result has the format of diff -u without
// the file header. It is empty if the texts have the same lines. A missing line break at the
// end of a text does not matter.
func UnifiedDiff(from, to string) string {
	text := diff.Diff("", endLastLine(from), "", endLastLine(to))
	_, hunks, _ := bytes.Cut(text, []byte("+++ \n")) // the last line of the file header
	return string(hunks)
}

func endLastLine(text string) []byte { return []byte(strings.TrimSuffix(text, "\n") + "\n") }
