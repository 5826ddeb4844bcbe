package spool

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

const childEnv = "SPOOL_TEST_CHILD_DIR"

// TestMain turns the test binary into the process to be killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		fmt.Fprintln(os.Stderr, child(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func abortedText(start []byte) ([]byte, error) { return append([]byte("aborted "), start...), nil }

// child writes requests from several goroutines and says so on stdout after
// each frame, as a proxy answers its clients. It ends only by a signal or when
// nobody listens.
func child(dir string) error {
	s, err := Open(Config{Dir: dir, SegmentBytes: 8 << 10, Recover: abortedText, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	errs := make(chan error)
	for range 4 {
		go func() { errs <- serve(s) }()
	}
	return <-errs
}

func serve(s *Spool) error {
	for {
		id := uuid.New()
		text := id.String() + strings.Repeat(" padding", rand.IntN(200))
		if err := s.Start(id, []byte(id.String())); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, "START", id); err != nil {
			return err
		}
		if err := s.End(id, []byte(text)); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, "END", id); err != nil {
			return err
		}
	}
}

// killed runs a child, kills it after some lines and returns all it said.
func killed(t *testing.T, dir string, lines int) (said []string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
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

// Every request that a client saw begin has one record, and every one that it
// saw end has the record that was written for it, wherever the kill fell.
func TestKilledProcessLosesNothing(t *testing.T) {
	dir := t.TempDir()
	ended := map[string]bool{}
	for range 5 {
		lines := rand.IntN(300)
		for _, line := range killed(t, dir, lines) {
			verb, id, ok := strings.Cut(line, " ")
			require.True(t, ok, line)
			ended[id] = verb == "END"
		}
	}
	store := newLedger()
	shipAll(t, config(t, dir), store)
	require.Equal(t, 0, len(names(t, dir)), "all is shipped and nothing was damaged")

	records := map[string][]string{}
	for text := range maps.Values(store.rows) {
		id := strings.Fields(strings.TrimPrefix(text, "aborted "))[0]
		records[id] = append(records[id], text)
	}
	for id, end := range ended {
		require.Len(t, records[id], 1, "request %s, ended: %t", id, end)
		if end {
			require.False(t, strings.HasPrefix(records[id][0], "aborted"), "request %s", id)
		}
	}
	unsaid := slices.DeleteFunc(slices.Collect(maps.Keys(records)), func(id string) bool { _, ok := ended[id]; return ok })
	for _, id := range unsaid {
		require.Len(t, records[id], 1, "a record whose announcement the kill cut off")
	}
}
