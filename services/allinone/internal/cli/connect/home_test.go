package connect

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/clients"
)

const gatewayURL = "http://127.0.0.1:8080"

// home is a home folder for one test.
type home struct {
	t   *testing.T
	dir string
	env []string
}

func newHome(t *testing.T, variables ...string) *home {
	t.Helper()
	dir := t.TempDir()
	return &home{t: t, dir: dir, env: append([]string{"HOME=" + dir}, variables...)}
}

// tryRun runs a command without a terminal. It returns both streams.
func (h *home) tryRun(args ...string) (string, error) {
	h.t.Helper()
	var out bytes.Buffer
	program := &cli.Program{Sections: []cli.Section{{Commands: Commands()}}}
	err := program.Dispatch(h.t.Context(), cli.Invocation{Args: args, Environ: h.env, In: strings.NewReader(""), Out: &out, Err: &out})
	return out.String(), err
}

func (h *home) run(args ...string) string {
	h.t.Helper()
	out, err := h.tryRun(args...)
	require.NoError(h.t, err, "%v\n%s", args, out)
	return out
}

// connect runs connect with a given key, which needs no gateway.
func (h *home) connect(client, key string) string {
	h.t.Helper()
	return h.run("connect", client, "--url", gatewayURL, "--key", key, "--yes")
}

func (h *home) write(rel, text string, mode fs.FileMode) {
	h.t.Helper()
	path := filepath.Join(h.dir, rel)
	require.NoError(h.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(h.t, os.WriteFile(path, []byte(text), mode))
	require.NoError(h.t, os.Chmod(path, mode))
}

func (h *home) read(rel string) string {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, rel))
	require.NoError(h.t, err)
	return string(text)
}

// snapshot describes every file and folder: its mode and its content.
func (h *home) snapshot() map[string]string {
	h.t.Helper()
	all := map[string]string{}
	require.NoError(h.t, filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(text)
		}
		rel, err := filepath.Rel(h.dir, path)
		all[rel] = fmt.Sprintf("%s %s", info.Mode(), content)
		return err
	}))
	return all
}

// settingsFiles lists the files of a client, relative to the home folder.
func (h *home) settingsFiles(name string) []string {
	h.t.Helper()
	var all []string
	for _, c := range clients.All() {
		if c.Name != name {
			continue
		}
		for _, f := range c.Files(clients.Environment{Home: h.dir, Variables: h.env}) {
			rel, err := filepath.Rel(h.dir, f.Paths[len(f.Paths)-1].String())
			require.NoError(h.t, err)
			all = append(all, rel)
		}
	}
	require.NotEmpty(h.t, all, name)
	return all
}

func newKey() string { return apikey.New() }
