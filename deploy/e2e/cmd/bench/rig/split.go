package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// The names of processes of the split deployment.
const (
	// FirstProxy is the first proxy.
	FirstProxy = "proxy-1"
	// Router decides requests to auto.
	Router = "router"
)

// StartSplit starts the split deployment with a number of proxies. The load goes to
// the proxies directly, not through the balancer.
func StartSplit(ctx context.Context, program, bin, upstream string, proxies int) (*Box, error) {
	s, err := newBox(upstream)
	if err != nil {
		return nil, err
	}
	s.Binary = filepath.Join(bin, "proxy")
	if err := s.launchSplit(ctx, program, bin, proxies); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.data))
	}
	return s, nil
}

func (s *Box) launchSplit(ctx context.Context, program, bin string, proxies int) (err error) {
	logs, err := os.Create(filepath.Join(s.data, "log"))
	if err != nil {
		return err
	}
	defer func() { _ = logs.Close() }()
	cmd := exec.CommandContext(ctx, program, "--bin", bin, "--proxies", strconv.Itoa(proxies), "--config", s.policyPath(), "--until-eof")
	cmd.Env, cmd.Stderr = cleanEnvironment(), logs
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	s.Child = &Child{cmd: cmd, stdin: stdin}
	if err := s.start(ctx, s.parseStartupLine); err != nil {
		said, _ := os.ReadFile(logs.Name())
		return fmt.Errorf("%w\n%s", err, said)
	}
	// The startup line does not contain the admin address.
	s.admin, err = procfs.ReadEnv(s.Proxy, "SIGNALBOX_ADMIN")
	return err
}

// parseStartupLine reads addresses and credentials from the JSON line of cmd/split.
func (s *Box) parseStartupLine(line string) bool {
	var where struct {
		Dashboard string            `json:"dashboard_url"`
		Proxies   []string          `json:"proxies"`
		PIDs      map[string]int    `json:"pids"`
		Key       string            `json:"key"`
		Operator  map[string]string `json:"operator"`
	}
	if json.Unmarshal([]byte(line), &where) != nil || len(where.Proxies) == 0 {
		return false
	}
	for _, url := range where.Proxies {
		s.Edges = append(s.Edges, strings.TrimPrefix(url, "http://"))
	}
	s.Edge, s.API = s.Edges[0], strings.TrimPrefix(where.Dashboard, "http://")
	s.Key, s.SignIn, s.Secret = where.Key, "/login", where.Operator
	s.Proxy, s.Others = where.PIDs[FirstProxy], where.PIDs
	delete(s.Others, FirstProxy)
	return true
}
