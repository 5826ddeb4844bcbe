package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// nginxConfig configures nginx as a plain forwarder with keep-alive connections on
// both sides and no buffering.
const nginxConfig = `worker_processes 2;
pid %[1]s/pid;
error_log stderr error;
events { worker_connections 4096; }
http {
  access_log off;
  client_max_body_size 0;
  keepalive_requests 1000000000;
  client_body_temp_path %[1]s/body;
  proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi;
  scgi_temp_path %[1]s/scgi;
  upstream model { server %[3]s; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen %[2]s backlog=1024;
    location / {
      proxy_pass http://model;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_request_buffering off;
    }
  }
}
`

// nginx is an nginx process with its own directory.
type nginx struct {
	*child
	dir string
}

func startNginx(ctx context.Context, upstream string) (*nginx, error) {
	dir, err := os.MkdirTemp("", "signalbox-bench-nginx-")
	if err != nil {
		return nil, err
	}
	n := &nginx{dir: dir}
	if err := n.launch(ctx, upstream); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return n, nil
}

func (n *nginx) launch(ctx context.Context, upstream string) error {
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	config := filepath.Join(n.dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, n.dir, address, upstream), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, nginxPath(), "-p", n.dir, "-c", config, "-e", "stderr", "-g", "daemon off;")
	cmd.Stderr = os.Stderr
	n.child = &child{cmd: cmd, address: address}
	return n.startSilent(ctx)
}

// nginxPath returns the path of nginx. /usr/sbin is in root's PATH only.
func nginxPath() string {
	if path, err := exec.LookPath("nginx"); err == nil {
		return path
	}
	return "/usr/sbin/nginx"
}

func (n *nginx) stop() {
	n.child.stop()
	_ = os.RemoveAll(n.dir)
}

// startSilent starts a process that prints nothing and waits until it listens.
func (c *child) startSilent(ctx context.Context) error {
	if err := c.cmd.Start(); err != nil {
		return err
	}
	c.ended = make(chan struct{})
	go func() {
		defer close(c.ended)
		_ = c.cmd.Wait()
	}()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.address); err == nil {
			return conn.Close()
		}
		select {
		case <-again.C:
		case <-c.ended:
			return fmt.Errorf("%s exited during startup", c.cmd.Path)
		case <-ctx.Done():
			c.stop()
			return fmt.Errorf("%s did not start: %w", c.cmd.Path, ctx.Err())
		}
	}
}
