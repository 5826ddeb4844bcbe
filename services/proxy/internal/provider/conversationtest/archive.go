package conversationtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
)

// extension is the end of the name of every archive.
const extension = ".txt"

// The sections of an archive that people write. They come first. The other sections have
// the names of subjects.
const (
	// requestSection holds the client request. It lacks the member "stream", which the
	// suite adds.
	requestSection = "request"
	// thenSection holds the messages that follow the response. It is a list with one list
	// of messages per turn. $1 stands for the id of the first tool call in the response.
	thenSection = "then"
)

// archive is the file of a conversation. It holds the conversation and the text that each
// subject must produce.
type archive struct {
	file, content string
	conversation  conversation
	written       []golden.Section
	texts         map[string]string
}

// listArchives returns the paths of all archives. Other files are not allowed.
func listArchives(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		require.Equal(t, extension, filepath.Ext(e.Name()), "%s is not an archive", e.Name())
		files = append(files, filepath.Join(dir, e.Name()))
	}
	return files
}

// conversationName returns the name of the conversation in an archive.
func conversationName(file string) string { return strings.TrimSuffix(filepath.Base(file), extension) }

func loadArchive(t *testing.T, file string) *archive {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	a, err := parseArchive(file, string(content), golden.IsUpdate())
	require.NoError(t, err, file)
	return a
}

// parseArchive reads an archive. If the texts of the subjects do not fit together, for
// example after a merge, it fails. With isUpdate it ignores them, because they are replaced.
func parseArchive(file, content string, isUpdate bool) (*archive, error) {
	a := &archive{file: file, content: content, conversation: conversation{name: conversationName(file)}}
	sections, err := golden.ParseSections(content)
	if err != nil {
		return nil, err
	}
	for len(sections) > 0 && a.readWritten(sections[0]) {
		sections = sections[1:]
	}
	if a.conversation.body == "" {
		return nil, fmt.Errorf("the archive does not start with the section %q", requestSection)
	}
	a.texts, err = golden.ReadVariants(sections)
	switch {
	case err != nil && isUpdate:
		a.texts = map[string]string{}
	case err != nil:
		return nil, fmt.Errorf("the flag -update repairs the archive: %w", err)
	}
	return a, nil
}

// readWritten reads a section that people write. It reports whether it is one.
func (a *archive) readWritten(s golden.Section) bool {
	switch s.Name {
	case requestSection:
		a.conversation.body = strings.TrimSpace(s.Text)
	case thenSection:
		for turn := range jsonscan.Elements([]byte(s.Text)) {
			a.conversation.then = append(a.conversation.then, string(turn))
		}
	default:
		return false
	}
	a.written = append(a.written, s)
	return true
}
