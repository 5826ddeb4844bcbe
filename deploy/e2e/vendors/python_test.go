package vendors

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

const (
	// caseTimeout is reached only by a broken system.
	caseTimeout = 2 * time.Minute
	// exitNotInstalled is the exit code of the install script if Python is not installed.
	exitNotInstalled = 3
)

func TestPython(t *testing.T) {
	interpreter := python(t)
	for program, server := range map[string]*emulate.Server{
		"anthropic_cases": emulate.Anthropic(options), "gemini_cases": emulate.Gemini(options), "openai_cases": emulate.OpenAI(options),
		"azure_cases": emulate.Azure(options),
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			cases(t, interpreter, program, listen(t, server))
		})
	}
}

// python installs the libraries if necessary and returns the interpreter.
func python(t *testing.T) string {
	var said bytes.Buffer
	cmd := exec.Command("../../scripts/clients", "python", "vendors")
	cmd.Stderr = &said
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitNotInstalled && os.Getenv("CI") != "true" {
		t.Skipf("SKIPPED, NOT TESTED HERE: %s", &said)
	}
	require.NoError(t, err, "%s", &said)
	return strings.TrimSpace(string(out))
}

func cases(t *testing.T, interpreter, program, url string) {
	ctx, cancel := context.WithTimeout(t.Context(), caseTimeout)
	defer cancel()
	job, err := json.Marshal(map[string]string{"program": program, "url": url, "key": key})
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, interpreter, "run.py")
	cmd.Dir, cmd.Stdin = "python", bytes.NewReader(job)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, &said)
	done := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); done++ {
		var c struct{ Case, Wrong string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		t.Run(c.Case, func(t *testing.T) { require.Empty(t, c.Wrong) })
	}
	require.Positive(t, done)
}
