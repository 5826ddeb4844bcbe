package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkShownContent waits for every record and checks what the API shows of it. The
// API returns the content uncompressed.
func (v *canaryRig) checkShownContent() {
	for _, n := range v.accounts {
		var all strings.Builder
		for _, id := range n.ids {
			n.AwaitRecord(id)
			_, body := n.Call(http.MethodGet, "/requests/"+id, nil, nil)
			all.Write(body)
			var r struct {
				Capture           string
				Request, Response *string
			}
			require.NoError(v.t, json.Unmarshal(body, &r))
			require.True(v.t, r.Capture == n.capture || r.Capture == "none" && r.Request == nil && r.Response == nil, "%s", body)
		}
		shown := all.String()
		for _, text := range n.texts {
			require.Equal(v.t, n.capture == "full", strings.Contains(shown, text), "%s in what is shown of %s", text, n.capture)
		}
		for _, note := range []string{"[redacted:key]", "[redacted:email]", "[redacted:customer-no]"} {
			require.Equal(v.t, n.capture == "redacted", strings.Contains(strings.ReplaceAll(shown, `"requested_model":"[redacted:key]"`, ""), note), "%s of %s", note, n.capture)
		}
	}
}

// requireNoSecrets fails for every secret that a text contains.
func (v *canaryRig) requireNoSecrets(where, text string) {
	v.t.Helper()
	for what, secret := range v.secret {
		if strings.Contains(text, secret) {
			v.t.Errorf("%s is in %s", what, where)
		}
	}
}

// searchFiles fails for every secret in a file of a directory, and if the expected text
// is not found.
func (v *canaryRig) searchFiles(folder, expected string) {
	v.t.Helper()
	found := false
	require.NoError(v.t, filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		v.requireNoSecrets(path, string(text))
		found = found || strings.Contains(string(text), expected)
		return err
	}))
	require.True(v.t, found, "%q is not in %s", expected, folder)
}

// checkLogsAndTraces searches the logs and traces of the stopped processes.
func (v *canaryRig) checkLogsAndTraces() {
	v.t.Helper()
	failed := v.accounts[0].ids[len(v.accounts[0].ids)-1]
	require.Contains(v.t, v.box.Output(), failed)
	v.requireNoSecrets("the log", v.box.Output())
	require.Contains(v.t, v.collector.text(), "signalbox.router.v1.RouterService")
	v.requireNoSecrets("the traces", v.collector.text())
	for _, text := range v.accounts[0].texts {
		require.NotContains(v.t, v.box.Output()+v.collector.text(), text, "content is in no log, whatever is kept of it")
	}
}

// serverDirectory returns the directory of a server, including its log.
func serverDirectory(t *testing.T, pid int) string {
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	require.NoError(t, err)
	for !strings.HasPrefix(filepath.Base(dir), "signalbox-testenv-") {
		require.NotEqual(t, "/", dir)
		dir = filepath.Dir(dir)
	}
	return dir
}

func directoryContains(folder, text string) bool {
	found := false
	_ = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, _ := os.ReadFile(path)
			found = found || strings.Contains(string(b), text)
		}
		return nil
	})
	return found
}
