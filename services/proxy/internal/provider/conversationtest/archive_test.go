package conversationtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var fakeSubjects = []Subject{
	{Name: "a", Chat: Endpoint{Model: "model-a"}},
	{Name: "b", Base: "a", Chat: Endpoint{Model: "model-b"}},
}

// lastLine is a line of the difference.
const lastLine = " the long last line of the text, so that the difference is shorter\n"

const fakeArchive = `-- request --
{"messages": []}
-- then --
[[{"role": "user"}], [{"role": "tool"}]]
-- a --
the first line
model-a
the long last line of the text, so that the difference is shorter
-- b, compared with a --
replace "model-a" with "model-b"
... 3 lines
`

func TestArchive(t *testing.T) {
	a, err := parseArchive("dir/name.txt", fakeArchive, false)
	require.NoError(t, err)
	require.Equal(t, conversation{name: "name", body: `{"messages": []}`, then: []string{`[{"role": "user"}]`, `[{"role": "tool"}]`}}, a.conversation)
	require.Equal(t, strings.Replace(a.texts["a"], "model-a", "model-b", 1), a.texts["b"])
	require.NoError(t, a.checkForm(fakeSubjects))
}

func TestStaleArchives(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"subject that no longer exists", fakeArchive + "-- c --\ntext\n", `section "c", but there is no such subject`},
		{"model of another name", strings.Replace(fakeArchive, "model-b", "model-c", 1), "is not as -update writes it"},
		{"line shown without need", strings.Replace(fakeArchive, "... 3 lines\n", "... 2 lines\n"+lastLine, 1), "is not as -update writes it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := parseArchive("name.txt", tt.content, false)
			require.NoError(t, err)
			require.ErrorContains(t, a.checkForm(fakeSubjects), tt.want)
		})
	}
	a, err := parseArchive("name.txt", fakeArchive+"-- c --\ntext\n", true)
	require.NoError(t, err)
	require.Equal(t, fakeArchive, a.format(fakeSubjects), "-update removes the section")
}

func TestBrokenArchives(t *testing.T) {
	_, err := parseArchive("name.txt", "-- a --\ntext\n", true)
	require.ErrorContains(t, err, `does not start with the section "request"`)
	broken := strings.Replace(fakeArchive, "the first line\n", "", 1)
	_, err = parseArchive("name.txt", broken, false)
	require.ErrorContains(t, err, "the flag -update repairs the archive")
	a, err := parseArchive("name.txt", broken, true)
	require.NoError(t, err)
	require.Empty(t, a.texts, "-update replaces all texts")
}
