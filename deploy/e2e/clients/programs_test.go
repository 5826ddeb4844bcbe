package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// libraryTimeout limits the time of all cases of one library. Only a broken system reaches it.
const libraryTimeout = 4 * time.Minute

// exitNotInstalled is the exit code of the install script if the language is not installed.
const exitNotInstalled = 3

// runtime is an interpreter with the libraries of its lockfile.
type runtime struct {
	folder    string
	installed func() (string, error)
}

// newRuntime installs the libraries once, at the first use.
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
	pythonVendors    = newRuntime("python", "python", "vendors")
)

// program runs the cases with a program in the library's language. It reads the job and
// prints one JSON line per case.
func (r runtime) program(name string, file string) func(*testing.T, job) []observation {
	return func(t *testing.T, j job) []observation {
		interpreter, err := r.installed()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitNotInstalled && os.Getenv("CI") != "true" {
			t.Skipf("SKIPPED, NOT TESTED HERE: %v", err)
		}
		require.NoError(t, err)
		j.Program = name
		return run(t, j, r.folder, interpreter, file)
	}
}

func run(t *testing.T, j job, folder, interpreter, file string) []observation {
	ctx, cancel := context.WithTimeout(t.Context(), libraryTimeout)
	defer cancel()
	input, err := json.Marshal(j)
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, interpreter, file)
	cmd.Dir, cmd.Stdin = filepath.Join(".", folder), bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "LANGSMITH_TRACING=false", "SSL_CERT_FILE="+writeCertificate(t))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, &said)
	var seen []observation
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		s, err := decodeObservation(lines.Bytes())
		require.NoError(t, err)
		seen = append(seen, s)
	}
	return seen
}

// writeCertificate writes a file with one trusted certificate, for clients in Python. By default each of
// them reads more than a hundred, which takes half of the CPU time of all cases. No case uses TLS.
func writeCertificate(t *testing.T) (path string) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	path = filepath.Join(t.TempDir(), "certificate.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}
