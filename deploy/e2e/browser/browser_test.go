// Package browser runs the page tests of the dashboard, which are written in
// JavaScript (services/dashboard/ui/e2e). They use a real browser and a running
// Signalbox with recorded requests.
package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
)

// filesFlag selects test files for work on the pages, for example -args -files keys,live.
var filesFlag = flag.String("files", "", "names of the test files to run, separated by commas; empty means all")

func TestMain(m *testing.M) {
	e2e.SetParallel(scenes)
	os.Exit(e2e.Main(m))
}

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
	parts := shareFiles(t, findFiles(t))
	for i, files := range parts {
		t.Run(fmt.Sprintf("scene %d", i+1), func(t *testing.T) {
			t.Parallel()
			if len(files) == 0 {
				t.Skip("fewer files than scenes")
			}
			scene, err := json.Marshal(newScene(t))
			require.NoError(t, err)
			run(t, files, scene)
		})
	}
}

func findFiles(t *testing.T) []string {
	var files []string
	for name := range strings.SplitSeq(cmp.Or(*filesFlag, "*"), ",") {
		found, err := filepath.Glob(home + "/e2e/" + name + ".test.mjs")
		require.NoError(t, err)
		require.NotEmpty(t, found, name)
		files = append(files, found...)
	}
	return files
}

// shareFiles gives the files to the scenes, the largest first, each to the scene with the fewest
// bytes so far. The size of a file tells roughly how long it runs.
func shareFiles(t *testing.T, files []string) (parts [scenes][]string) {
	size := map[string]int64{}
	for _, path := range files {
		info, err := os.Stat(path)
		require.NoError(t, err)
		size[path] = info.Size()
	}
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(size[b], size[a]) })
	var total [scenes]int64
	for _, path := range files {
		least := 0
		for i := range total {
			if total[i] < total[least] {
				least = i
			}
		}
		parts[least] = append(parts[least], filepath.Base(path))
		total[least] += size[path]
	}
	for _, part := range parts {
		slices.SortStableFunc(part, func(a, b string) int { return cmp.Compare(runsLast(a), runsLast(b)) })
	}
	return parts
}

// runsLast returns a higher number for files that must run after the other files of their scene:
// start claims the installation that signin expects unclaimed, and the others do not expect the
// requests, sessions and policies of experiments.
func runsLast(file string) int {
	return slices.Index([]string{"start.test.mjs", "experiments.test.mjs"}, file)
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
