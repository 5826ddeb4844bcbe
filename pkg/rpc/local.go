package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"google.golang.org/grpc"
)

// maxSocketPath is the longest socket path that all supported kernels accept.
const maxSocketPath = 103

// ErrSocketPath means that the path of a socket is too long.
var ErrSocketPath = fmt.Errorf("the path of a socket can have at most %d bytes", maxSocketPath)

// ListenLocal opens a Unix socket that only this user can connect to. Its callers have the
// operator's role. It replaces a socket that a dead process left behind. If another
// process serves the socket, it returns ErrSocketInUse. Closing the listener removes the
// file.
func ListenLocal(ctx context.Context, path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, ErrSocketPath
	}
	if other, err := (&net.Dialer{}).DialContext(ctx, "unix", path); err == nil {
		return nil, errors.Join(ErrSocketInUse, other.Close())
	}
	// Other users could connect to the socket until its mode is set, so it is created in a
	// private directory. The directory's name is short to keep the path short.
	dir := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)[:1])
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lis, err := (&net.ListenConfig{}).Listen(ctx, "unix", filepath.Join(dir, "s"))
	if err != nil {
		return nil, err
	}
	lis.(*net.UnixListener).SetUnlinkOnClose(false)
	file, err := moveSocket(filepath.Join(dir, "s"), path)
	if err != nil {
		return nil, errors.Join(err, lis.Close())
	}
	return &localListener{Listener: lis, path: path, file: file}, nil
}

// moveSocket restricts a socket to its owner and moves it to its final path.
func moveSocket(from, to string) (os.FileInfo, error) {
	if err := os.Chmod(from, 0o600); err != nil {
		return nil, err
	}
	file, err := os.Lstat(from)
	if err != nil {
		return nil, err
	}
	return file, os.Rename(from, to)
}

// localListener is a socket that was moved to path.
type localListener struct {
	net.Listener
	path string
	file os.FileInfo
}

// Addr returns the final path.
func (l *localListener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Close closes the socket. It removes the file unless another process has replaced it.
func (l *localListener) Close() error {
	if err := l.Listener.Close(); err != nil {
		return err
	}
	if now, err := os.Lstat(l.path); err != nil || !os.SameFile(now, l.file) {
		return nil
	}
	return os.Remove(l.path)
}

// DialLocal works like Dial, for a socket of ListenLocal. It connects once to check that
// a server is running, and returns ErrNoServer if none is.
func DialLocal(ctx context.Context, path string, cfg ClientConfig) (*grpc.ClientConn, error) {
	if len(path) > maxSocketPath {
		return nil, ErrSocketPath
	}
	open := func(ctx context.Context, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	probe, err := open(ctx, "")
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, ErrNoServer
	case err != nil:
		return nil, err
	}
	_ = probe.Close()
	return dial("passthrough:///local", cfg, grpc.WithContextDialer(open))
}

var (
	// ErrNoServer means that no server listens on a socket.
	ErrNoServer = errors.New("no server is listening on the socket")
	// ErrSocketInUse means that another process serves the socket.
	ErrSocketInUse = errors.New("another process is already listening on the socket")
)
