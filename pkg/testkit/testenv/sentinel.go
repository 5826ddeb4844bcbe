package testenv

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sentinels is how many sentinels watch a primary. Two of them must agree that it is down.
const sentinels = 3

// sentinelConfig makes sentinels keep a primary that a busy machine silences. KillPrimary makes them
// replace it after a second.
const sentinelConfig = `port %d
bind 127.0.0.1
sentinel monitor main 127.0.0.1 %d 2
sentinel down-after-milliseconds main 60000
sentinel failover-timeout main 5000
`

// RedisSentinel is a primary and a replica that three sentinels watch.
type RedisSentinel struct {
	// URL names the sentinels, as SIGNALBOX_REDIS_URL does.
	URL string

	servers   []*redis
	sentinels []int
	stops     []func()
}

// StartRedisSentinel starts the servers. The caller must call Stop.
func StartRedisSentinel(args ...string) (_ *RedisSentinel, err error) {
	s := &RedisSentinel{}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	if err = s.startServers(args); err != nil {
		return nil, err
	}
	var hosts []string
	for range sentinels {
		if err = s.startSentinel(); err != nil {
			return nil, err
		}
		hosts = append(hosts, net.JoinHostPort("127.0.0.1", strconv.Itoa(s.sentinels[len(s.sentinels)-1])))
	}
	s.URL = "redis-sentinel://" + strings.Join(hosts, ",") + "/0?master=main"
	return s, awaitTrue("the sentinels know each other and the replica", s.isComplete)
}

func (s *RedisSentinel) startServers(args []string) error {
	for n := range 2 {
		own := args
		if n > 0 {
			own = append([]string{"--replicaof", "127.0.0.1 " + strconv.Itoa(s.servers[0].port)}, args...)
		}
		r, err := startRedis(own)
		if err != nil {
			return err
		}
		s.servers, s.stops = append(s.servers, r), append(s.stops, r.stop)
	}
	return nil
}

func (s *RedisSentinel) startSentinel() error {
	dir, err := newDirectory()
	if err != nil {
		return err
	}
	port, err := ReservePort()
	if err != nil {
		return err
	}
	file := filepath.Join(dir.path, "sentinel.conf") // sentinels write their state to it
	if err := os.WriteFile(file, fmt.Appendf(nil, sentinelConfig, port, s.servers[0].port), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(s.servers[0].binary, file, "--sentinel")
	cmd.Dir = dir.path
	proc, err := startProcess(cmd, dir, syscall.SIGKILL)
	if err != nil {
		return err
	}
	s.sentinels = append(s.sentinels, port)
	s.stops = append(s.stops, func() {
		proc.stop(syscall.SIGKILL)
		dir.removeAll()
	})
	return proc.awaitReady(func() error {
		_, err := redisCommand(port, "PING")
		return err
	})
}

func (s *RedisSentinel) isComplete() bool {
	for _, port := range s.sentinels {
		peers, err := redisCommand(port, "SENTINEL", "SENTINELS", "main")
		replicas, err2 := redisCommand(port, "SENTINEL", "REPLICAS", "main")
		if err != nil || err2 != nil || strings.Count(peers, "runid") < sentinels-1 || !strings.Contains(replicas, "master-link-status\nok") {
			return false
		}
	}
	return true
}

// KillPrimary kills the primary and waits until the sentinels have promoted the replica. The old
// primary stays down.
func (s *RedisSentinel) KillPrimary() error {
	for _, port := range s.sentinels {
		if _, err := redisCommand(port, "SENTINEL", "SET", "main", "down-after-milliseconds", "1000"); err != nil {
			return err
		}
	}
	old := s.primaryPort()
	for _, r := range s.servers {
		if strconv.Itoa(r.port) == old {
			r.proc.stop(syscall.SIGKILL)
		}
	}
	return awaitTrue("the replica is promoted", func() bool { now := s.primaryPort(); return now != "" && now != old })
}

// primaryPort returns the port of the primary, according to the first sentinel.
func (s *RedisSentinel) primaryPort() string {
	out, _ := redisCommand(s.sentinels[0], "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")
	if lines := strings.Fields(out); len(lines) == 2 {
		return lines[1]
	}
	return ""
}

// Stop stops all servers.
func (s *RedisSentinel) Stop() {
	for _, stop := range s.stops {
		stop()
	}
}

// awaitTrue waits until done returns true.
func awaitTrue(what string, done func() bool) error {
	for limit := time.Now().Add(startTimeout); !done(); {
		if time.Now().After(limit) {
			return fmt.Errorf("not true after %s: %s", startTimeout, what)
		}
		<-time.After(50 * time.Millisecond)
	}
	return nil
}

// redisCommand runs one command with redis-cli. A response that is an error is an error too.
func redisCommand(port int, words ...string) (string, error) {
	ctx, cancel := queryContext()
	defer cancel()
	args := append([]string{"-e", "-h", "127.0.0.1", "-p", strconv.Itoa(port)}, words...)
	out, err := exec.CommandContext(ctx, "redis-cli", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("redis-cli %s: %w: %s", strings.Join(words, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// Sentinel returns servers that stop when the test ends.
func Sentinel(t testing.TB, args ...string) *RedisSentinel {
	t.Helper()
	s, err := StartRedisSentinel(args...)
	if err != nil {
		t.Fatalf("testenv: start Redis with Sentinel: %v", err)
	}
	t.Cleanup(s.Stop)
	return s
}
