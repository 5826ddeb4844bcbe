package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// proxyName is the name of the first proxy of the split deployment.
const proxyName = "proxy-1"

// startSplit starts the split deployment with a number of proxies. The load goes to
// the proxies directly, not through the balancer.
func startSplit(ctx context.Context, program, bin, upstream string, proxies int) (*signalbox, error) {
	s, err := newBox(upstream)
	if err != nil {
		return nil, err
	}
	s.binary = filepath.Join(bin, "proxy")
	if err := s.launchSplit(ctx, program, bin, proxies); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.data))
	}
	return s, nil
}

func (s *signalbox) launchSplit(ctx context.Context, program, bin string, proxies int) (err error) {
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
	s.child = &child{cmd: cmd, stdin: stdin}
	if err := s.start(ctx, s.parseStartupLine); err != nil {
		said, _ := os.ReadFile(logs.Name())
		return fmt.Errorf("%w\n%s", err, said)
	}
	s.admin, err = readProcessEnv(s.proxy, "SIGNALBOX_ADMIN")
	return err
}

// parseStartupLine reads addresses and credentials from the JSON line of cmd/split.
func (s *signalbox) parseStartupLine(line string) bool {
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
		s.edges = append(s.edges, strings.TrimPrefix(url, "http://"))
	}
	s.edge, s.api = s.edges[0], strings.TrimPrefix(where.Dashboard, "http://")
	s.key, s.signIn, s.secret = where.Key, "/login", where.Operator
	s.proxy, s.others = where.PIDs[proxyName], where.PIDs
	delete(s.others, proxyName)
	return true
}

// readProcessEnv returns an environment variable of a process. The startup line does
// not contain the admin address.
func readProcessEnv(pid int, name string) (string, error) {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "", err
	}
	for kv := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(kv, []byte(name+"=")); ok {
			return string(value), nil
		}
	}
	return "", fmt.Errorf("process %d has no %s", pid, name)
}
