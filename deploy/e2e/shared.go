package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// sharedGateway is a deployment that all tests of a package share if they need no flags
// and neither stop it nor change its policy. Starting one takes seconds. Tests use it
// concurrently, so a test that counts something needs its own account.
type sharedGateway struct {
	start func(*testing.T) *Gateway

	mu  sync.Mutex
	box *Gateway
}

var (
	sharedAllInOne = sharedGateway{start: startSharedAllInOne}
	sharedSplit    = sharedGateway{start: startSharedSplit}
)

func startSharedSplit(t *testing.T) *Gateway {
	t.Helper()
	if *composeFlag != "" {
		return startSharedStack(t)
	}
	return startSplitOf(t, sharedBinDir, nil)
}

// startSharedAllInOne starts an all-in-one whose account is claimed, so that every test
// can sign in with the operator's password.
func startSharedAllInOne(t *testing.T) *Gateway {
	t.Helper()
	data, err := os.MkdirTemp("", "signalbox-e2e-data-")
	if err != nil {
		t.Fatal(err)
	}
	b := launchBinary(t, filepath.Join(sharedBinDir, "signalbox"), nil, data)
	b.SignInOperator()
	return b
}

// get returns the deployment and starts it at the first call.
func (s *sharedGateway) get(t *testing.T) *Gateway {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.box == nil {
		s.box = s.start(t)
	}
	return s.box.withTest(t)
}

// stop stops the deployment and reports whether it exited cleanly and without data
// races.
func (s *sharedGateway) stop() bool {
	if s.box == nil || s.box.cmd == nil {
		return true // deploy/scripts/containers removes containers
	}
	_ = s.box.cmd.Process.Signal(syscall.SIGTERM)
	<-s.box.exited
	if s.box.Data != "" {
		_ = os.RemoveAll(s.box.Data)
	}
	ok := s.box.err == nil && !strings.Contains(s.box.Output(), "DATA RACE")
	if !ok {
		fmt.Fprintf(os.Stderr, "a shared deployment failed: %v\n%s", s.box.err, s.box.Output())
	}
	return ok
}
