// Package e2e drives the shipped binaries the way their users do: over HTTP,
// with the vendors' own clients, with signals, with wrong input. It is a
// module of its own so that those clients never enter what ships. Tests here
// know nothing of the insides.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long anything here may take; it is only ever used up by
// something that is broken.
const patience = 60 * time.Second

// pollEvery is how often something in another process is looked at.
const pollEvery = 10 * time.Millisecond

// binary is the built signalbox, set by Main.
var binary string

// Main builds the binary that the tests run, with the race detector; a race in
// it fails the test that ran it.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "signalbox-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "signalbox")
	build := exec.Command("go", "build", "-race", "-o", binary, "github.com/signalbox/signalbox/services/allinone/cmd/signalbox")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// Box is a running signalbox.
type Box struct {
	t   *testing.T
	cmd *exec.Cmd
	// Base is the address, without a path.
	Base string
	// Key and Claim are what the first start showed; Box.again keeps them.
	Key   string
	Claim string
	// Curl is the printed command.
	Curl string
	Data string

	mu     sync.Mutex
	output bytes.Buffer
	ended  chan struct{}
	err    error
}

// Start starts a signalbox on a free port with a fresh data directory.
func Start(t *testing.T, flags ...string) *Box {
	t.Helper()
	return start(t, t.TempDir(), flags...)
}

// Again starts another one on the data of b, which has ended.
func (b *Box) Again(flags ...string) *Box {
	b.t.Helper()
	next := start(b.t, b.Data, flags...)
	next.Key = b.Key
	return next
}

func start(t *testing.T, data string, flags ...string) *Box {
	t.Helper()
	b := &Box{t: t, Data: data, ended: make(chan struct{})}
	// A loaded test machine is slow, which must not look like a router that
	// is away.
	args := append([]string{"--listen", "127.0.0.1:0", "--data", data, "--decide-timeout", "10s"}, flags...)
	b.cmd = exec.Command(binary, args...)
	b.cmd.Env = environment()
	pipe, err := b.cmd.StdoutPipe()
	require.NoError(t, err)
	b.cmd.Stderr = b.cmd.Stdout
	require.NoError(t, b.cmd.Start())
	greeted := make(chan struct{})
	go b.read(pipe, greeted)
	t.Cleanup(func() {
		b.Kill()
		assertNoRace(t, b.Output())
		if t.Failed() {
			t.Logf("signalbox printed:\n%s", b.Output())
		}
	})
	select {
	case <-greeted:
	case <-b.ended:
		t.Fatalf("signalbox ended: %v\n%s", b.err, b.Output())
	case <-time.After(patience):
		t.Fatalf("signalbox did not start\n%s", b.Output())
	}
	return b
}

// environment is ours without what would configure the binary.
func environment() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "SIGNALBOX_") && !strings.Contains(kv, "_API_KEY=") {
			env = append(env, kv)
		}
	}
	return env
}

var (
	baseLine  = regexp.MustCompile(`Base URL +(http://\S+)/proxy/v1`)
	keyLine   = regexp.MustCompile(`Key +(sbx_live_\S+)`)
	claimLine = regexp.MustCompile(`Claim +(http://\S+)`)
	curlLine  = regexp.MustCompile(`^ +(curl .*)$`)
)

// read collects the output and finds in it what the greeting tells.
func (b *Box) read(pipe io.Reader, greeted chan struct{}) {
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		text := lines.Text()
		b.mu.Lock()
		b.output.WriteString(text + "\n")
		take(&b.Base, baseLine, text)
		take(&b.Key, keyLine, text)
		take(&b.Claim, claimLine, text)
		seen := b.Curl != ""
		take(&b.Curl, curlLine, text)
		if b.Curl != "" && !seen {
			close(greeted)
		}
		b.mu.Unlock()
	}
	b.err = b.cmd.Wait()
	close(b.ended)
}

func take(into *string, from *regexp.Regexp, text string) {
	if m := from.FindStringSubmatch(text); m != nil {
		*into = m[1]
	}
}

// Output is what it printed so far.
func (b *Box) Output() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.output.String()
}

// Kill ends it like a power cut would, as far as a process can tell.
func (b *Box) Kill() {
	_ = b.cmd.Process.Signal(syscall.SIGKILL)
	<-b.ended
}

// Terminate asks it to stop.
func (b *Box) Terminate() {
	require.NoError(b.t, b.cmd.Process.Signal(syscall.SIGTERM))
}

// Wait waits for its end and returns the exit code.
func (b *Box) Wait() int {
	b.t.Helper()
	select {
	case <-b.ended:
		return b.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		b.t.Fatalf("signalbox did not end\n%s", b.Output())
		return -1
	}
}

// edgeClient gives up on what would hang.
var edgeClient = &http.Client{Timeout: patience}

// Post sends a body to the edge with the first key.
func (b *Box) Post(ctx context.Context, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.Base+"/proxy/v1"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+b.Key)
	req.Header.Set("Content-Type", "application/json")
	return edgeClient.Do(req)
}

func assertNoRace(t *testing.T, output string) {
	if strings.Contains(output, "DATA RACE") {
		t.Error("the race detector found a race")
	}
}
