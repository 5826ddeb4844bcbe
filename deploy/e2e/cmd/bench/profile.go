package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// minProfileTime is the minimum duration of a load while it is profiled.
const minProfileTime = 6 * time.Second

// startProfile starts a CPU profile of a load if profiles are enabled. The returned
// function waits for the profile and prints it.
func (b *bench) startProfile(ctx context.Context, p peer, t *target, l load) func() error {
	if t.box == nil || !b.profiles {
		return func() error { return nil }
	}
	path := filepath.Join(b.bin, "bench-"+p.name+"-"+l.name+".prof")
	seconds := max(1, int((b.durationOf(l) - time.Second/2).Seconds()))
	done := make(chan error, 1)
	go func() { done <- t.box.saveProfile(ctx, path, seconds) }()
	return func() error {
		if err := <-done; err != nil {
			return fmt.Errorf("take CPU profile: %w", err)
		}
		b.printf("\n%s, %s: CPU profile of %d s: %s\n", p.name, l.name, seconds, path)
		return b.showProfile(ctx, t.box.binary, path)
	}
}

// showProfile prints the profile by own time and by cumulative time.
func (b *bench) showProfile(ctx context.Context, binary, path string) error {
	for _, order := range []string{"-flat", "-cum"} {
		cmd := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", order, "-nodecount=30", binary, path)
		cmd.Stdout, cmd.Stderr = b.out, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go tool pprof: %w", err)
		}
	}
	return nil
}

func (s *signalbox) saveProfile(ctx context.Context, path string, seconds int) error {
	url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", s.admin, seconds)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: time.Minute}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", res.Status)
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
