// Package e2e runs the shipped binaries the way users do: over HTTP, with the
// vendors' own clients, with signals and with invalid input. It is a separate
// module, so those clients never become dependencies of the shipped code. The
// tests import no internal package.
package e2e

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waitTimeout limits every wait of the tests. Only a broken system reaches it.
const waitTimeout = 2 * time.Minute

// pollInterval is how often tests check the state of another process.
const pollInterval = 20 * time.Millisecond

// binDir holds the binaries that single tests run, and signalboxPath is the all-in-one among
// them. sharedBinDir holds those of the shared deployments. Main sets all of them.
var binDir, signalboxPath, sharedBinDir string

// binFlag is the directory of binaries that were built without the race detector, for
// tests that need their speed or measure their memory.
var binFlag = flag.String("bin", "", "directory of the binaries to run, instead of building them with the race detector")

// raceBinVariable names the directory of binaries with the race detector that
// deploy/scripts/test built for all suites.
const raceBinVariable = "SIGNALBOX_E2E_BIN"

// ownBinVariable names the directory of binaries for tests that start a deployment of their
// own. Without it they use those of the shared deployments.
const ownBinVariable = "SIGNALBOX_E2E_OWN_BIN"

// builtPackages lists the binaries that Main builds.
var builtPackages = []string{
	"services/allinone/cmd/signalbox", "services/proxy/cmd/proxy", "services/router/cmd/router",
	"services/keyauth/cmd/keyauth", "services/dashboard/cmd/dashboard", "deploy/e2e/cmd/split",
}

// Main builds the binaries with the race detector, unless they exist already, and runs the
// tests. A data race in a binary with the detector fails the test that ran it.
func Main(m *testing.M) int {
	flag.Parse()
	sharedBinDir = cmp.Or(*binFlag, os.Getenv(raceBinVariable))
	if sharedBinDir == "" {
		dir, err := buildBinaries()
		defer func() { _ = os.RemoveAll(dir) }()
		if err != nil {
			fmt.Fprintln(os.Stderr, "build:", err)
			return 1
		}
		sharedBinDir = dir
	}
	binDir = cmp.Or(*binFlag, os.Getenv(ownBinVariable), sharedBinDir)
	signalboxPath = filepath.Join(binDir, "signalbox")
	// By default a binary with the race detector waits a second before it exits.
	_ = os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"))
	code := m.Run()
	for _, s := range []*sharedGateway{&sharedAllInOne, &sharedSplit} {
		if !s.stop() {
			code = max(code, 1)
		}
	}
	return code
}

// SetParallel sets how many tests run at the same time, unless the command line does. The
// default of one test per CPU is too low for tests that mostly wait for processes.
func SetParallel(tests int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(tests))
	}
}

func buildBinaries() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "signalbox-e2e-"); err != nil {
		return "", err
	}
	args := []string{"build", "-race", "-o", dir + "/"}
	for _, pkg := range builtPackages {
		args = append(args, "github.com/signalbox/signalbox/"+pkg)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
}

// Gateway is a running Signalbox, all-in-one or split.
type Gateway struct {
	t   *testing.T
	cmd *exec.Cmd
	// Base is the URL of the proxies, without a path.
	Base string
	// Dashboard is the URL of the dashboard.
	Dashboard string
	// Proxies, PIDs and Admin are set in the split deployment only. Admin holds the addresses with
	// /metrics, by name of the service.
	Proxies []string
	PIDs    map[string]int
	Admin   map[string]string
	// Emulated is the URL of the emulated vendors, if they were started.
	Emulated string
	// Key and Claim come from the first start; Restart keeps the key.
	Key   string
	Claim string
	// Curl is the curl command that the start prints.
	Curl string
	Data string

	output *synced
	exited chan struct{}
	err    error
}

// Start starts an all-in-one on a free port with a new data directory.
func Start(t *testing.T, flags ...string) *Gateway {
	t.Helper()
	return start(t, t.TempDir(), flags...)
}

// Restart starts an all-in-one on the data of b, which must have exited.
func (b *Gateway) Restart(flags ...string) *Gateway {
	b.t.Helper()
	next := start(b.t, b.Data, flags...)
	next.Key = b.Key
	return next
}

func start(t *testing.T, data string, flags ...string) *Gateway {
	t.Helper()
	return startWithEnv(t, nil, data, flags...)
}

// startWithEnv starts an all-in-one with additional environment variables.
func startWithEnv(t *testing.T, env []string, data string, flags ...string) *Gateway {
	t.Helper()
	b := launch(t, env, data, flags...)
	t.Cleanup(func() {
		b.Kill()
		b.checkOutput()
	})
	return b
}

// launch starts an all-in-one and waits until it is ready. The caller stops it.
func launch(t *testing.T, env []string, data string, flags ...string) *Gateway {
	t.Helper()
	return launchBinary(t, signalboxPath, env, data, flags...)
}

// launchBinary is launch with another binary of the all-in-one.
func launchBinary(t *testing.T, binary string, env []string, data string, flags ...string) *Gateway {
	t.Helper()
	b := newGateway(t)
	b.Data = data
	// Test machines are slow. The long timeout keeps a slow decision from looking
	// like an unavailable router.
	args := append([]string{"--listen", "127.0.0.1:0", "--data", data, "--decide-timeout", "10s"}, flags...)
	b.cmd = exec.Command(binary, args...)
	b.cmd.Env = append(cleanEnvironment(), env...)
	pipe, err := b.cmd.StdoutPipe()
	require.NoError(t, err)
	b.cmd.Stderr = b.cmd.Stdout
	require.NoError(t, b.cmd.Start())
	greeted := make(chan struct{})
	go b.readGreeting(pipe, greeted)
	// If the start fails, stop the process.
	cancelKill := context.AfterFunc(t.Context(), func() { _ = b.cmd.Process.Kill() })
	b.awaitReady(greeted)
	cancelKill()
	b.Dashboard = b.Base
	return b
}

func newGateway(t *testing.T) *Gateway {
	return &Gateway{t: t, output: &synced{}, exited: make(chan struct{})}
}

// withTest returns the same gateway for another test: failures count against t.
func (b *Gateway) withTest(t *testing.T) *Gateway {
	same := *b
	same.t = t
	return &same
}

// awaitReady waits until the process has printed its addresses.
func (b *Gateway) awaitReady(greeted <-chan struct{}) {
	b.t.Helper()
	select {
	case <-greeted:
	case <-b.exited:
		b.t.Fatalf("signalbox exited: %v\n%s", b.err, b.Output())
	case <-time.After(waitTimeout):
		b.t.Fatalf("signalbox did not start\n%s", b.Output())
	}
}

// checkOutput fails the test if the race detector reported a race, and logs the
// output of a failed test.
func (b *Gateway) checkOutput() {
	if strings.Contains(b.Output(), "DATA RACE") {
		b.t.Error("the race detector found a race")
	}
	if b.t.Failed() {
		b.t.Logf("signalbox printed:\n%s", b.Output())
	}
}

// Command returns a command of the all-in-one binary. Its environment is env and nothing
// else.
func Command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, signalboxPath, args...)
	cmd.Env = env
	return cmd
}

// cleanEnvironment returns the environment without variables that configure the
// binaries, and with the credential of the upstream.
func cleanEnvironment() []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "SIGNALBOX_") || strings.Contains(kv, "_API_KEY=")
	})
	return append(env, "UPSTREAM_SECRET="+upstreamSecret)
}

var (
	baseLine  = regexp.MustCompile(`Base URL +(http://\S+)/proxy/v1`)
	keyLine   = regexp.MustCompile(`Key +(sbx_live_\S+)`)
	claimLine = regexp.MustCompile(`Claim +(http://\S+)`)
	curlLine  = regexp.MustCompile(`^ +(curl .*)$`)
)

// readGreeting collects the output and parses the greeting, which ends with the curl
// command.
func (b *Gateway) readGreeting(pipe io.Reader, greeted chan struct{}) {
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		text := lines.Text()
		_, _ = io.WriteString(b.output, text+"\n")
		if b.Curl != "" {
			continue
		}
		captureMatch(&b.Base, baseLine, text)
		captureMatch(&b.Key, keyLine, text)
		captureMatch(&b.Claim, claimLine, text)
		if captureMatch(&b.Curl, curlLine, text); b.Curl != "" {
			close(greeted)
		}
	}
	b.err = b.cmd.Wait()
	close(b.exited)
}

func captureMatch(into *string, from *regexp.Regexp, text string) {
	if m := from.FindStringSubmatch(text); m != nil {
		*into = m[1]
	}
}

// Edges returns the addresses of the proxies, or that of their balancer if they are not known. Keys, limits
// and models must have the same effect on each.
func (b *Gateway) Edges() []string {
	if len(b.Proxies) > 0 {
		return b.Proxies
	}
	return []string{b.Base}
}

// Output returns the output so far.
func (b *Gateway) Output() string { return b.output.String() }

// Kill stops the process with SIGKILL, like a crash.
func (b *Gateway) Kill() {
	_ = b.cmd.Process.Signal(syscall.SIGKILL)
	<-b.exited
}

// Terminate sends SIGTERM.
func (b *Gateway) Terminate() {
	require.NoError(b.t, b.cmd.Process.Signal(syscall.SIGTERM))
}

// Wait waits until the process exits and returns the exit code.
func (b *Gateway) Wait() int {
	b.t.Helper()
	select {
	case <-b.exited:
		return b.cmd.ProcessState.ExitCode()
	case <-time.After(waitTimeout):
		b.t.Fatalf("signalbox did not exit\n%s", b.Output())
		return -1
	}
}

// edgeClient has a timeout. It closes idle connections earlier than a draining proxy
// does. Otherwise a request could be sent on a connection that is closing, and
// net/http does not retry a POST.
var edgeClient = &http.Client{Timeout: waitTimeout, Transport: &http.Transport{IdleConnTimeout: time.Second, MaxIdleConnsPerHost: 16}}

// Post sends a body to the proxy with the key b.Key.
func (b *Gateway) Post(ctx context.Context, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.Base+"/proxy/v1"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+b.Key)
	req.Header.Set("Content-Type", "application/json")
	return edgeClient.Do(req)
}
