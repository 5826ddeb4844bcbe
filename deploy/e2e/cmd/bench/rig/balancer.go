package rig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// haproxyConfig is deploy/compose/haproxy.cfg without TLS, forwarding headers and error pages: the
// same balancing and checks, for any number of proxies. It keeps idle connections for as long as a bench
// may run, because its clients do not send a request again.
const haproxyConfig = `global
    fd-hard-limit 65536
    tune.bufsize 49152
defaults
    mode http
    timeout connect 2s
    timeout queue 5s
    timeout check 3s
    timeout http-request 30s
    timeout http-keep-alive 20m
    timeout client 15m
    timeout server 15m
    option http-no-delay
    option abortonclose
    retries 2
    retry-on conn-failure
    option redispatch 1
frontend public
    bind %s
    default_backend proxies
backend proxies
    balance leastconn
    option httpchk GET /readyz
    http-check expect status 200
    default-server check inter 500ms fall 2 rise 1
`

// Balancer is an HAProxy in front of proxies.
type Balancer struct {
	*Child
	dir string
}

// StartBalancer starts HAProxy in front of the proxies and waits until it listens.
func StartBalancer(ctx context.Context, proxies []string) (*Balancer, error) {
	dir, err := os.MkdirTemp("", "signalbox-bench-haproxy-")
	if err != nil {
		return nil, err
	}
	b := &Balancer{dir: dir}
	if err := b.launch(ctx, proxies); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return b, nil
}

func (b *Balancer) launch(ctx context.Context, proxies []string) error {
	address, err := FreeAddress(ctx)
	if err != nil {
		return err
	}
	path := filepath.Join(b.dir, "haproxy.cfg")
	if err := os.WriteFile(path, []byte(balancerConfig(address, proxies)), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, haproxyPath(), "-db", "-q", "-f", path)
	cmd.Stderr = os.Stderr
	b.Child, err = StartSilent(ctx, cmd, address)
	return err
}

func balancerConfig(address string, proxies []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, haproxyConfig, address)
	for i, proxy := range proxies {
		fmt.Fprintf(&b, "    server proxy-%d %s\n", i+1, proxy)
	}
	return b.String()
}

// haproxyPath returns the path of HAProxy. /usr/sbin is in root's PATH only.
func haproxyPath() string {
	if path, err := exec.LookPath("haproxy"); err == nil {
		return path
	}
	return "/usr/sbin/haproxy"
}

// Stop stops HAProxy and removes its directory.
func (b *Balancer) Stop() {
	b.Child.Stop()
	_ = os.RemoveAll(b.dir)
}
