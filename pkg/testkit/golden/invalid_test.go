package golden_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/golden"
)

func TestApplyRejectsAnotherBase(t *testing.T) {
	base := "1\n2\n3\n4\n5\n"
	for _, difference := range []string{
		"... 4 lines\n", "... 6 lines\n", "... 0 lines\n... 5 lines\n", "... 2 lines\n-4\n... 2 lines\n", "... 2 lines\n 4\n... 2 lines\n",
		"... 5 lines\n-6\n", "... 5 lines\n 6\n", "... 5 lines\nreplace \"1\" with \"2\"\n", "", "x\n", "\n", "... 4 lines\n 5\n\\ no final newline\n",
	} {
		_, err := golden.Apply(base, difference)
		require.Error(t, err, "%q", difference)
	}
}

func TestInvalidArchives(t *testing.T) {
	for _, archive := range []string{"text\n", "-- a --", "-- a --\ntext", "-- a --\n-- b\n", "--  --\n", "-- a --\n\n-- \n"} {
		_, err := golden.ParseSections(archive)
		require.Error(t, err, "%q", archive)
	}
}

func TestInvalidVariants(t *testing.T) {
	for _, archive := range []string{
		"-- a --\n-- a --\n",
		"-- a, compared with b --\n... 1 lines\n-- b --\n1\n",
		"-- a --\n1\n-- b, compared with a --\n... 2 lines\n",
		"-- a --\n1\n-- b, compared with a --\n... 1 lines\n-- b --\n1\n",
	} {
		sections, err := golden.ParseSections(archive)
		require.NoError(t, err)
		_, err = golden.ReadVariants(sections)
		require.Error(t, err, "%q", archive)
	}
}

// A difference that is not shorter than the text would be harder to read.
func TestUnlikeVariantsAreStoredInFull(t *testing.T) {
	sections := golden.VariantSections([]golden.Variant{{Name: "a", Text: "1\n2\n"}, {Name: "b", Text: "3\n", Base: "a"}})
	require.Equal(t, []golden.Section{{Name: "a", Text: "1\n2\n"}, {Name: "b", Text: "3\n"}}, sections)
}

// failure records the message of a failed test.
type failure struct {
	testing.TB
	message string
}

func (f *failure) Helper() {}

func (f *failure) Fatalf(format string, args ...any) { f.message = fmt.Sprintf(format, args...) }

func TestRequireEqualShowsTheDifference(t *testing.T) {
	f := &failure{TB: t}
	golden.RequireEqual(f, "a\n", "a\n")
	require.Empty(t, f.message)
	golden.RequireEqual(f, "1\n2\n3\n4\nthe long line of the model\n6\n", "1\n2\n3\n4\nthe long line of the motel\n6\n")
	require.Equal(t, `the text differs from the golden text; the flag -update accepts it
line 5, byte 24:
  want "the long line of the model\n"
  got  "the long line of the motel\n"
... 3 lines
 4
-the long line of the model
+the long line of the motel
 6
`, f.message)
}
