// Command benchui measures the dashboard's request log in a real browser: the time
// until rows appear, blank rows while scrolling, and the delay until a live request
// appears. It fills the ledger of a split deployment through the normal path of
// records.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "benchui:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	bin := flag.String("bin", "bin", "directory of the binaries")
	rows := flag.Int("rows", 1_000_000, "number of records in the ledger")
	pages := flag.String("pages", "services/dashboard/ui", "directory of the UI sources")
	flag.Parse()
	deployment, err := startSplit(ctx, *bin)
	if err != nil {
		return err
	}
	defer deployment.stop()
	if err := deployment.fillLedger(ctx, *rows); err != nil {
		return err
	}
	if err := deployment.vacuum(ctx); err != nil {
		return err
	}
	return deployment.runBrowser(ctx, *pages)
}

// splitDeployment holds the startup line of cmd/split, and the process.
type splitDeployment struct {
	Base      string `json:"base_url"`
	Dashboard string `json:"dashboard_url"`
	Redis     string `json:"redis_url"`
	Postgres  string `json:"postgres_url"`
	Key       string `json:"key"`
	Operator  struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	} `json:"operator"`

	cmd   *exec.Cmd
	stdin io.Closer
}

func startSplit(ctx context.Context, bin string) (*splitDeployment, error) {
	s := &splitDeployment{cmd: exec.CommandContext(ctx, bin+"/split", "--bin", bin, "--proxies", "1", "--until-eof")}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.stdin = in
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, s)
	}
	if err != nil {
		s.stop()
		return nil, errors.Join(errors.New("start the split deployment"), err)
	}
	return s, nil
}

// stop closes standard input, so that the deployment drains, and waits for it.
func (s *splitDeployment) stop() {
	_ = s.stdin.Close()
	_ = s.cmd.Wait()
}

// runBrowser runs the browser benchmark, which prints the figures.
func (s *splitDeployment) runBrowser(ctx context.Context, pages string) error {
	scene, err := json.Marshal(map[string]any{
		"base": s.Dashboard, "edge": s.Base, "key": s.Key,
		"full": map[string]string{"email": s.Operator.Email, "password": s.Operator.Password},
	})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "node", "e2e/bench.mjs")
	cmd.Dir, cmd.Stdout, cmd.Stderr = pages, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "SIGNALBOX_SCENE="+string(scene))
	return cmd.Run()
}
