package rig

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

var (
	baseLine  = regexp.MustCompile(`Base URL +http://(\S+)/proxy/v1`)
	keyLine   = regexp.MustCompile(`Key +(sbx_live_\S+)`)
	claimLine = regexp.MustCompile(`Claim +http://\S+\?token=(\S+)`)
	curlLine  = regexp.MustCompile(`^ +curl `)
)

// StartAllInOne starts the all-in-one with additional flags.
func StartAllInOne(ctx context.Context, bin, upstream string, flags ...string) (*Box, error) {
	s, err := newBox(upstream)
	if err != nil {
		return nil, err
	}
	s.Binary = filepath.Join(bin, "signalbox")
	if err := s.launchAllInOne(ctx, flags); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.data))
	}
	s.Proxy = s.PID()
	return s, nil
}

func (s *Box) launchAllInOne(ctx context.Context, flags []string) (err error) {
	if s.admin, err = FreeAddress(ctx); err != nil {
		return err
	}
	flags = append([]string{"--listen", "127.0.0.1:0", "--data", s.data, "--config", s.policyPath(), "--admin", s.admin, "--log-requests", "none"}, flags...)
	cmd := exec.CommandContext(ctx, s.Binary, flags...)
	cmd.Env, cmd.Stderr = cleanEnvironment(), os.Stderr
	s.Child = &Child{cmd: cmd}
	return s.start(ctx, s.parseGreeting)
}

// parseGreeting reads addresses and credentials from a line of the greeting. It
// returns true at the curl command, which is the last line.
func (s *Box) parseGreeting(line string) bool {
	if m := baseLine.FindStringSubmatch(line); m != nil {
		s.Edge, s.API, s.Edges = m[1], m[1], m[1:2]
	}
	if m := keyLine.FindStringSubmatch(line); m != nil {
		s.Key = m[1]
	}
	if m := claimLine.FindStringSubmatch(line); m != nil {
		s.SignIn = "/claim"
		s.Secret = map[string]string{"token": m[1], "email": "bench@example.com", "password": "correct horse battery"}
	}
	return curlLine.MatchString(line)
}

// FreeAddress returns an address that is free now. If another process takes it
// first, the start fails.
func FreeAddress(ctx context.Context) (string, error) {
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return lis.Addr().String(), lis.Close()
}
