package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// modelName is what callers send for an explicit model.
const modelName = "small"

// policyText routes to the upstream, with a second model so that a decision
// has something to decide.
const policyText = `version: 1
providers:
  mock: {kind: openai, base_url: http://%s/v1, allow_private: true}
models:
  small:
    endpoints: [{provider: mock, model: mock-s}]
    price: {input: "0.05", output: "0.15", per: 1M, effective: 2026-01-01}
    context: 1048576
  large:
    endpoints: [{provider: mock, model: mock-l}]
    price: {input: "1.00", output: "4.00", per: 1M, effective: 2026-01-01}
    context: 1048576
defaults: {baseline: large}
routes:
  auto: {select: [{candidates: [small, large]}]}
`

var (
	baseLine  = regexp.MustCompile(`Base URL +http://(\S+)/proxy/v1`)
	keyLine   = regexp.MustCompile(`Key +(sbx_live_\S+)`)
	claimLine = regexp.MustCompile(`Claim +http://\S+\?token=(\S+)`)
	curlLine  = regexp.MustCompile(`^ +curl `)
)

// signalbox is the gateway as it ships, with a data directory of its own and
// nothing set that a user would not set.
type signalbox struct {
	*child
	key, claim string
	// admin is where profiles are to be had; empty without them.
	admin string
	data  string
	// patience is how long its ledger may take.
	patience time.Duration
}

func startSignalbox(ctx context.Context, binary, upstream string, admin bool) (*signalbox, error) {
	data, err := os.MkdirTemp("", "signalbox-bench-")
	if err != nil {
		return nil, err
	}
	s := &signalbox{data: data, patience: storeLimit}
	if err := s.launch(ctx, binary, upstream, admin); err != nil {
		return nil, errors.Join(err, os.RemoveAll(data))
	}
	return s, nil
}

func (s *signalbox) launch(ctx context.Context, binary, upstream string, admin bool) error {
	config := filepath.Join(s.data, "signalbox.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, policyText, upstream), 0o600); err != nil {
		return err
	}
	args := []string{"--listen", "127.0.0.1:0", "--data", s.data, "--config", config}
	if admin {
		port, err := freeAddress(ctx)
		if err != nil {
			return err
		}
		s.admin = port
		args = append(args, "--admin", port)
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env, cmd.Stderr = environment(), os.Stderr
	s.child = &child{cmd: cmd}
	return s.start(ctx, s.greeted)
}

// greeted finds in the greeting what a user would; the command to try out is
// the last of it.
func (s *signalbox) greeted(line string) bool {
	for into, from := range map[*string]*regexp.Regexp{&s.address: baseLine, &s.key: keyLine, &s.claim: claimLine} {
		if m := from.FindStringSubmatch(line); m != nil {
			*into = m[1]
		}
	}
	return curlLine.MatchString(line)
}

func (s *signalbox) stop() {
	s.child.stop()
	_ = os.RemoveAll(s.data)
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

// freeAddress is free now; somebody may still take it before it is used, and
// then the start fails.
func freeAddress(ctx context.Context) (string, error) {
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return lis.Addr().String(), lis.Close()
}
