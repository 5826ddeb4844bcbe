package spool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

const (
	childEnv = "SPOOL_TEST_CHILD_DIR"
	storeEnv = "SPOOL_TEST_CHILD_STORE"
)

// TestMain turns the test binary into the process to be killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		fmt.Fprintln(os.Stderr, child(dir))
		os.Exit(1)
	}
	signal.Ignore(syscall.SIGXFSZ) // some limit their files
	os.Exit(m.Run())
}

// child writes requests from several goroutines and prints a line after each frame, as
// a proxy responds to its clients. Its spool is so small that bodies are dropped all
// the time. What it ships is committed at once, so files and directories are removed
// until the last moment. It ends only by a signal or when its output is closed.
func child(dir string) error {
	s, err := Open(Config{
		Dir: dir, SegmentBytes: 8 << 10, MaxBytes: 256 << 10, Recover: abortedText, StripBody: stripText, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	store, err := openFileStore(os.Getenv(storeEnv))
	if err != nil {
		return err
	}
	errs := make(chan error)
	go func() { errs <- s.Ship(context.Background(), store) }()
	for range 4 {
		go func() { errs <- serve(s) }()
	}
	return <-errs
}

func serve(s *Spool) error {
	for {
		id := uuid.New()
		text := id.String() + "|" + strings.Repeat(" padding", rand.IntN(200))
		err := s.Start(id, withHeadroom([]byte(id.String())))
		if errors.Is(err, ErrFull) {
			<-time.After(time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, "START", id); err != nil {
			return err
		}
		if err := s.End(id, withHeadroom([]byte(text))); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, "END", id); err != nil {
			return err
		}
	}
}

// killed runs a child, kills it after some lines and returns its output.
func killed(t *testing.T, dir, store string, lines int) (said []string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir, storeEnv+"="+store)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	in := bufio.NewReader(out)
	for {
		if len(said) == lines {
			require.NoError(t, cmd.Process.Kill())
		}
		line, err := in.ReadString('\n')
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			require.Error(t, cmd.Wait())
			return said
		}
		said = append(said, strings.TrimSpace(line))
	}
}

// Every request that a client saw begin has one record. Every request that it saw end
// has the record that was written for it, whenever the kill happened.
func TestKilledProcessLosesNothing(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "store")
	ended := map[string]bool{}
	for range 8 {
		lines := rand.IntN(600)
		for _, line := range killed(t, dir, file, lines) {
			verb, id, ok := strings.Cut(line, " ")
			require.True(t, ok, line)
			ended[id] = verb == "END"
		}
	}
	store, err := openFileStore(file)
	require.NoError(t, err)
	require.NotEmpty(t, store.order, "the children shipped")
	shipAll(t, config(t, dir), store.ledger)
	require.Equal(t, 0, len(names(t, dir)), "all is shipped and nothing was damaged")

	said := map[string]string{}
	for _, text := range store.order {
		id, _, _ := strings.Cut(strings.TrimPrefix(text, "aborted "), "|")
		if _, again := said[id]; !again { // the store keeps the first
			said[id] = text
		}
	}
	for id, end := range ended {
		require.Contains(t, said, id, "ended: %t", end)
		if end {
			require.False(t, strings.HasPrefix(said[id], "aborted"), "request %s", id)
		}
	}
}
