// Package e2e drives the shipped binaries the way their users do: over HTTP,
// with the vendors' own clients, with signals, with wrong input. It is a
// module of its own so that those clients never enter what ships. Tests here
// know nothing of the insides.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"flag"
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

// folder has the built binaries, and binary is signalbox among them; both are
// set by Main.
var folder, binary string

// readyMade are the binaries of make build, without the race detector: for
// what needs their speed or measures their memory.
var readyMade = flag.String("bin", "", "folder of the binaries to run, instead of building them with the race detector")

// built is what Main builds.
var built = []string{
	"services/allinone/cmd/signalbox", "services/proxy/cmd/proxy", "services/router/cmd/router",
	"services/keyauth/cmd/keyauth", "services/dashboard/cmd/dashboard", "deploy/e2e/cmd/split",
}

// Main builds the binaries that the tests run, with the race detector; a race
// in one of them fails the test that ran it.
func Main(m *testing.M) int {
	flag.Parse()
	folder = *readyMade
	if folder == "" {
		dir, err := build()
		defer func() { _ = os.RemoveAll(dir) }()
		if err != nil {
			fmt.Fprintln(os.Stderr, "build:", err)
			return 1
		}
		folder = dir
	}
	binary = filepath.Join(folder, "signalbox")
	code := m.Run()
	if !stopShared() {
		return 1
	}
	return code
}

func build() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "signalbox-e2e-"); err != nil {
		return "", err
	}
	args := []string{"build", "-race", "-o", dir + "/"}
	for _, pkg := range built {
		args = append(args, "github.com/signalbox/signalbox/"+pkg)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
}

// Box is a running signalbox.
type Box struct {
	t   *testing.T
	cmd *exec.Cmd
	// Base is the address of the edge, without a path.
	Base string
	// Dashboard is the address of the API.
	Dashboard string
	// Proxies and PIDs are of the split shape alone.
	Proxies []string
	PIDs    map[string]int
	// Emulated is where the emulated vendors are, if they were asked for.
	Emulated string
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
		b.review()
	})
	b.await(greeted)
	b.Dashboard = b.Base
	return b
}

// await waits until it has said where it is.
func (b *Box) await(greeted <-chan struct{}) {
	b.t.Helper()
	select {
	case <-greeted:
	case <-b.ended:
		b.t.Fatalf("signalbox ended: %v\n%s", b.err, b.Output())
	case <-time.After(patience):
		b.t.Fatalf("signalbox did not start\n%s", b.Output())
	}
}

// review looks at what was printed after the test has ended.
func (b *Box) review() {
	if strings.Contains(b.Output(), "DATA RACE") {
		b.t.Error("the race detector found a race")
	}
	if b.t.Failed() {
		b.t.Logf("signalbox printed:\n%s", b.Output())
	}
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

// Write takes what a process prints.
func (b *Box) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.output.Write(p)
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

// edgeClient gives up on what would hang. It forgets idle connections sooner
// than a stopping proxy closes them, as clients of any server should: a request
// sent on one at that very moment is lost, and a POST is not sent twice.
var edgeClient = &http.Client{Timeout: patience, Transport: &http.Transport{IdleConnTimeout: time.Second, MaxIdleConnsPerHost: 16}}

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
