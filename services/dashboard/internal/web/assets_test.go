package web

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A browser must find all scripts that a page needs in its HTML. A script that is missing there is
// loaded only after another one, and the page waits for both.
func TestPagesPreloadAllScriptsThatTheyImport(t *testing.T) {
	a, err := newAssets()
	require.NoError(t, err)
	imported := regexp.MustCompile(`(?:from|import)'\./([^']+)'`)
	for page := range a.chunks {
		urls := a.pageChunks("/" + page)
		for _, url := range urls {
			for _, found := range imported.FindAllSubmatch(a.files[strings.TrimPrefix(url, "/assets/")].body, -1) {
				require.Contains(t, append(urls, a.Core), "/assets/chunks/"+string(found[1]), "%s imports it", url)
			}
		}
	}
	require.NotContains(t, strings.Join(a.pageChunks("/policy"), " "), "codeeditor", "it is loaded on demand")
}
