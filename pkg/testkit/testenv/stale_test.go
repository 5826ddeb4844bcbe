package testenv

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// childVar makes this test binary the process that will be killed.
const childVar = "TESTENV_CHILD"

// beChild starts both servers, prints their directories and waits to be killed.
func beChild() {
	postgres, err := startPostgres()
	exitOn(err)
	redis, err := startRedis(nil)
	exitOn(err)
	exitOn(json.NewEncoder(os.Stdout).Encode([]string{postgres.dir.path, redis.dir.path}))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestKilledProcessLeavesNothing(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVar+"=1")
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }()
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	require.NoError(t, err)
	var dirs []string
	require.NoError(t, json.Unmarshal(line, &dirs))
	require.Len(t, dirs, 2)

	removeStaleDirectories()
	for _, dir := range dirs {
		require.NotEmpty(t, findServersIn(dir), "the sweep ended a server whose owner lives")
		require.DirExists(t, dir)
	}
	require.NoError(t, child.Process.Kill())
	_ = child.Wait()

	for _, dir := range dirs {
		require.Eventually(t, func() bool { return len(findServersIn(dir)) == 0 }, 10*time.Second, 10*time.Millisecond,
			"a server outlived its owner")
	}
	removeStaleDirectories()
	for _, dir := range dirs {
		require.NoDirExists(t, dir)
	}
}

func TestSweepEndsAServerWithoutOwner(t *testing.T) {
	away(t)
	path, err := os.MkdirTemp("", prefix)
	require.NoError(t, err)
	orphan := exec.Command("redis-server", "--port", "0", "--unixsocket", filepath.Join(path, "redis.sock"))
	orphan.Dir = path
	require.NoError(t, orphan.Start())
	require.Eventually(t, func() bool { return len(findServersIn(path)) == 1 }, 10*time.Second, 10*time.Millisecond)
	ended := make(chan struct{})
	go func() {
		_ = orphan.Wait()
		close(ended)
	}()

	removeIfStale(path)
	<-ended
	require.Equal(t, syscall.SIGKILL, orphan.ProcessState.Sys().(syscall.WaitStatus).Signal())
	require.NoDirExists(t, path)
}

func TestSweepLeavesOtherPrograms(t *testing.T) {
	away(t)
	path, err := os.MkdirTemp("", prefix)
	require.NoError(t, err)
	bystander := exec.Command("cat")
	bystander.Dir = path
	stdin, err := bystander.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, bystander.Start())

	removeIfStale(path)
	require.NoDirExists(t, path)
	require.NoError(t, stdin.Close())
	require.NoError(t, bystander.Wait(), "a program that is none of our servers was ended")
}

func TestSweepLeavesALiveOwnersDirectory(t *testing.T) {
	dir, err := newDirectory()
	require.NoError(t, err)
	removeStaleDirectories()
	require.DirExists(t, dir.path)
	dir.removeAll()
	require.NoDirExists(t, dir.path)
}

// away isolates the test from the sweeps of other test processes.
func away(t *testing.T) { t.Setenv("TMPDIR", t.TempDir()) }
