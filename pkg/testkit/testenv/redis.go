package testenv

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type redis struct {
	bus    int // the port for the other servers of a cluster
	dir    *directory
	proc   *process
	port   int
	binary string
	args   []string
}

func startRedis(args []string) (*redis, error) {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errors.New("redis-server is not installed: apt-get install redis-server")
	}
	for range attempts {
		var server *redis
		if server, err = startRedisOnce(binary, args); err == nil {
			return server, nil
		}
	}
	return nil, err
}

func startRedisOnce(binary string, args []string) (*redis, error) {
	port, err := ReservePort()
	if err != nil {
		return nil, err
	}
	dir, err := newDirectory()
	if err != nil {
		return nil, err
	}
	server := &redis{dir: dir, port: port, binary: binary, args: args}
	if err := server.launch(); err != nil {
		err = fmt.Errorf("%w\n%s", err, dir.logTail())
		dir.removeAll()
		return nil, err
	}
	return server, nil
}

// launch starts the server. It also restarts a stopped server, with the data that is on disk, if any.
func (r *redis) launch() error {
	socket := filepath.Join(r.dir.path, "redis.sock")
	own := []string{
		"--port", strconv.Itoa(r.port), "--bind", "127.0.0.1", "--unixsocket", socket,
		"--dir", r.dir.path, "--save", "", "--appendonly", "no", "--daemonize", "no",
	}
	cmd := exec.Command(r.binary, append(own, r.args...)...)
	cmd.Dir = r.dir.path
	proc, err := startProcess(cmd, r.dir, syscall.SIGKILL)
	if err != nil {
		return err
	}
	r.proc = proc
	if err := proc.awaitReady(func() error { return pingRedis(socket) }); err != nil {
		proc.stop(syscall.SIGKILL)
		return err
	}
	return nil
}

func (r *redis) url() string { return fmt.Sprintf("redis://127.0.0.1:%d/0", r.port) }

func (r *redis) stop() {
	r.proc.stop(syscall.SIGKILL)
	r.dir.removeAll()
}

// pingRedis uses the socket in the server's own directory, because another server may listen on the port.
// An error response also shows that the server runs; it may require a password. Only the error LOADING
// means that the server is not ready.
func pingRedis(socket string) error {
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && strings.HasPrefix(answer, "-LOADING") {
		return errors.New(strings.TrimSpace(answer))
	}
	return err
}
