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

// read waits for every record and looks at what the API shows of it: there the
// content is as it was before it was compressed.
func (v *aviary) read() {
	for _, n := range v.speakers {
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
		for _, text := range n.spoken {
			require.Equal(v.t, n.capture == "full", strings.Contains(shown, text), "%s in what is shown of %s", text, n.capture)
		}
		for _, note := range []string{"[redacted:key]", "[redacted:email]", "[redacted:customer-no]"} {
			require.Equal(v.t, n.capture == "redacted", strings.Contains(strings.ReplaceAll(shown, `"requested_model":"[redacted:key]"`, ""), note), "%s of %s", note, n.capture)
		}
	}
}

// silent fails for every secret that is in a text.
func (v *aviary) silent(where, text string) {
	v.t.Helper()
	for what, secret := range v.secret {
		if strings.Contains(text, secret) {
			v.t.Errorf("%s is in %s", what, where)
		}
	}
}

// searched fails for every secret that is in a file of a folder, and unless a
// text is found that has to be there.
func (v *aviary) searched(folder, expected string) {
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
		v.silent(path, string(text))
		found = found || strings.Contains(string(text), expected)
		return err
	}))
	require.True(v.t, found, "%q is not in %s", expected, folder)
}

// heard looks at what the processes told about themselves when they have ended.
func (v *aviary) heard() {
	v.t.Helper()
	failed := v.speakers[0].ids[len(v.speakers[0].ids)-1]
	require.Contains(v.t, v.box.Output(), failed)
	v.silent("the log", v.box.Output())
	require.Contains(v.t, v.collector.text(), "signalbox.router.v1.RouterService")
	v.silent("the traces", v.collector.text())
	for _, text := range v.speakers[0].spoken {
		require.NotContains(v.t, v.box.Output()+v.collector.text(), text, "content is in no log, whatever is kept of it")
	}
}

// home is the folder of a server, its log included.
func home(t *testing.T, pid int) string {
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	require.NoError(t, err)
	for !strings.HasPrefix(filepath.Base(dir), "signalbox-testenv-") {
		require.NotEqual(t, "/", dir)
		dir = filepath.Dir(dir)
	}
	return dir
}

func inFolder(folder, text string) bool {
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
