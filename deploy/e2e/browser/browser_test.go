// Package browser runs the tests of the dashboard's pages, which are written
// in JavaScript (services/dashboard/ui/e2e), in a real browser against a real
// signalbox that has seen some traffic.
package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }

// patience is only ever used up by something that is broken.
const patience = 6 * time.Minute

// absent is how the script that installs packages ends without Node.
const absent = 3

const home = "../../../services/dashboard/ui"

func TestPages(t *testing.T) {
	install(t)
	files, err := filepath.Glob(home + "/e2e/*.test.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	scene, err := json.Marshal(newScene(t))
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { run(t, filepath.Base(file), scene) })
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

// run runs one file, whose own runner says what failed.
func run(t *testing.T, file string, scene []byte) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=spec", "e2e/"+file)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "SIGNALBOX_SCENE="+string(scene))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
