// Command benchui measures the dashboard in a real browser and prints each figure beside
// what it must be. It fills the ledger of a split deployment through the normal path of
// records. Its parts:
//
//	rows        the request log with many rows: first rows, sorting, facets, scrolling
//	frames      the request log at 200 live requests per second
//	lighthouse  every page with Lighthouse
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
	"slices"
	"syscall"
	"time"
)

// limit ends the whole benchmark. A quiet machine with two cores needs less.
const limit = 40 * time.Minute

// reserve is the time at the end for the last measurement and for stopping the deployment.
const reserve = 90 * time.Second

// fewRows is the size of the ledger for the parts that do not depend on it.
const fewRows = 20_000

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "benchui:", err)
		os.Exit(1)
	}
}

// scripts are the parts in their order, with the script of each.
var scripts = []struct{ part, script string }{
	{"rows", "e2e/bench/rows.mjs"}, {"frames", "e2e/bench/frames.mjs"}, {"lighthouse", "lighthouse/run.mjs"},
}

func run(ctx context.Context) error {
	bin := flag.String("bin", "bin", "directory of the binaries")
	rows := flag.Int("rows", 1_000_000, "number of records in the ledger for the part rows")
	pages := flag.String("pages", "services/dashboard/ui", "directory of the UI sources")
	part := flag.String("part", "", "rows, frames or lighthouse; empty for all")
	flag.Parse()
	if *part != "" && !slices.ContainsFunc(scripts, func(s struct{ part, script string }) bool { return s.part == *part }) {
		return fmt.Errorf("unknown part %q: use rows, frames or lighthouse", *part)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if *part != "" && *part != "rows" {
		*rows = min(*rows, fewRows)
	}
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
	var errs []error
	for _, s := range scripts {
		if *part == "" || *part == s.part {
			fmt.Printf("\n%s, %d records\n", s.part, *rows)
			errs = append(errs, deployment.runScript(ctx, *pages, s.script)) // a part that fails does not end the others
		}
	}
	return errors.Join(errs...)
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

// runScript runs one part, which prints its figures.
func (s *splitDeployment) runScript(ctx context.Context, pages, script string) error {
	scene, err := json.Marshal(map[string]any{
		"base": s.Dashboard, "edge": s.Base, "key": s.Key,
		"full": map[string]string{"email": s.Operator.Email, "password": s.Operator.Password},
	})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "node", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = pages, os.Stdout, os.Stderr
	// Lighthouse begins no measurement after MINUTES, so that it prints what it has.
	minutes := 5
	if end, ok := ctx.Deadline(); ok {
		minutes = int((time.Until(end) - reserve).Minutes())
	}
	cmd.Env = append(os.Environ(), "SIGNALBOX_SCENE="+string(scene), fmt.Sprintf("MINUTES=%d", max(1, minutes)))
	// Node ends its browser when it is asked to; a killed Node would leave it behind.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Run()
}
