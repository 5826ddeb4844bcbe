// Package browser runs the page tests of the dashboard, which are written in
// JavaScript (services/dashboard/ui/e2e). They use a real browser and a running
// Signalbox with recorded requests.
package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }

// patience is the time limit of the test files of one scene; only a failing one reaches it.
// Screenshots take longer than the tests.
const patience = 40 * time.Minute

// scenes is how many scenes run at the same time. Each has its own Signalbox, its own browser
// and its part of the test files. The files of one scene run one after the other, because they
// change it.
const scenes = 3

// absent is the exit code of the install script if Node is missing.
const absent = 3

const home = "../../../services/dashboard/ui"

func TestPages(t *testing.T) {
	install(t)
	files, err := filepath.Glob(home + "/e2e/*.test.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for part := range scenes {
		t.Run(fmt.Sprintf("scene %d", part+1), func(t *testing.T) {
			t.Parallel()
			scene, err := json.Marshal(newScene(t))
			require.NoError(t, err)
			var own []string
			for i := part; i < len(files); i += scenes {
				own = append(own, filepath.Base(files[i]))
			}
			run(t, own, scene)
		})
	}
}

func install(t *testing.T) {
	var said bytes.Buffer
	cmd := exec.Command("../../scripts/ui", "install")
	cmd.Stderr = &said
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == absent && os.Getenv("CI") != "true" {
		t.Skipf("SKIPPED, NOT TESTED HERE: %s", said.Bytes())
	}
	require.NoError(t, err, "%s", &said)
}

// run runs test files in one browser. Its output names the failed tests.
func run(t *testing.T, files []string, scene []byte) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"--test-reporter=spec", "e2e/all.mjs"}, files...)...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "SIGNALBOX_SCENE="+string(scene), "TZ=UTC") // the tests expect times of this zone
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
