package compare

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

// minProfileTime is the minimum duration of a load while it is profiled.
const minProfileTime = 6 * time.Second

// startProfile starts a CPU profile of a load if profiles are enabled. The returned
// function waits for the profile and prints it.
func (b *bench) startProfile(ctx context.Context, p peer, t *target, l traffic.Load) func() error {
	if t.box == nil || !b.profiles {
		return func() error { return nil }
	}
	kind := rig.ProfileCPU
	if l.Rate > 0 {
		kind = rig.ProfileTrace
	}
	path := filepath.Join(b.bin, "bench-"+p.name+"-"+l.Name+"."+kind)
	seconds := max(1, int((b.durationOf(l) - time.Second/2).Seconds()))
	done := make(chan error, 1)
	go func() { done <- t.box.SaveProfile(ctx, kind, path, seconds) }()
	return func() error {
		if err := <-done; err != nil {
			return fmt.Errorf("take %s: %w", kind, err)
		}
		b.printf("\n%s, %s: %s of %d s: %s\n", p.name, l.Name, kind, seconds, path)
		if kind == rig.ProfileTrace {
			return nil
		}
		return b.showProfile(ctx, t.box.Binary, path)
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
