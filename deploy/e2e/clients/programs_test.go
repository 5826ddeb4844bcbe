package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long the cases of one library may take together; it is only
// ever used up by something that is broken.
const patience = 2 * time.Minute

// absent is how the script that installs libraries ends if there is no such
// language on this machine.
const absent = 3

// runtime is an interpreter with the libraries that its lockfile names.
type runtime struct {
	folder    string
	installed func() (string, error)
}

// newRuntime installs nothing before it is used, and once.
func newRuntime(folder string, args ...string) runtime {
	return runtime{folder: folder, installed: sync.OnceValues(func() (string, error) {
		var said bytes.Buffer
		cmd := exec.Command("../../scripts/clients", args...)
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			err = errors.Join(errors.New(strings.TrimSpace(said.String())), err)
		}
		return strings.TrimSpace(string(out)), err
	})}
}

var (
	node             = newRuntime("node", "node")
	python           = newRuntime("python", "python", "openai")
	pythonLlamaIndex = newRuntime("python", "python", "llamaindex")
)

// program is a library whose cases are done by a program of its own language:
// it reads the job and prints a line of JSON for every case.
func (r runtime) program(name string, file string) func(*testing.T, job) []sight {
	return func(t *testing.T, j job) []sight {
		interpreter, err := r.installed()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == absent && os.Getenv("CI") != "true" {
			t.Skipf("SKIPPED, NOT TESTED HERE: %v", err)
		}
		require.NoError(t, err)
		j.Program = name
		return run(t, j, r.folder, interpreter, file)
	}
}

func run(t *testing.T, j job, folder, interpreter, file string) []sight {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	input, err := json.Marshal(j)
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, interpreter, file)
	cmd.Dir, cmd.Stdin = filepath.Join(".", folder), bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "LANGSMITH_TRACING=false")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, &said)
	var seen []sight
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		s, err := decodeSight(lines.Bytes())
		require.NoError(t, err)
		seen = append(seen, s)
	}
	return seen
}
