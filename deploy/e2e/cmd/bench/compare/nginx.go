package compare

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
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
	*rig.Child
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
	address, err := rig.FreeAddress(ctx)
	if err != nil {
		return err
	}
	config := filepath.Join(n.dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, n.dir, address, upstream), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, nginxPath(), "-p", n.dir, "-c", config, "-e", "stderr", "-g", "daemon off;")
	cmd.Stderr = os.Stderr
	n.Child, err = rig.StartSilent(ctx, cmd, address)
	return err
}

// nginxPath returns the path of nginx. /usr/sbin is in root's PATH only.
func nginxPath() string {
	if path, err := exec.LookPath("nginx"); err == nil {
		return path
	}
	return "/usr/sbin/nginx"
}

// Stop stops nginx and removes its directory.
func (n *nginx) Stop() {
	n.Child.Stop()
	_ = os.RemoveAll(n.dir)
}
