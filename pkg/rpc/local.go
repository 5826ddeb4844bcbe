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

// maxSocketPath is the longest name that a kernel takes for a socket, on the
// most modest system.
const maxSocketPath = 103

// ErrSocketPath is why a socket cannot be where it should.
var ErrSocketPath = fmt.Errorf("the name of a socket has at most %d bytes", maxSocketPath)

// ListenLocal opens a socket in the file system that this user alone can
// reach; whoever comes by it has the operator's role. One that a dead process
// left behind is replaced; while another lives there, the error is ErrTaken.
// Closing it removes the file.
func ListenLocal(ctx context.Context, path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, ErrSocketPath
	}
	if other, err := (&net.Dialer{}).DialContext(ctx, "unix", path); err == nil {
		return nil, errors.Join(ErrTaken, other.Close())
	}
	// Made in a folder that nobody else can enter, because a socket is open to
	// others for the moment until its mode is set. Its name is short, and not
	// that of a neighbour's.
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
	file, err := place(filepath.Join(dir, "s"), path)
	if err != nil {
		return nil, errors.Join(err, lis.Close())
	}
	return &local{Listener: lis, path: path, file: file}, nil
}

// place closes a socket to others and moves it to its name.
func place(from, to string) (os.FileInfo, error) {
	if err := os.Chmod(from, 0o600); err != nil {
		return nil, err
	}
	file, err := os.Lstat(from)
	if err != nil {
		return nil, err
	}
	return file, os.Rename(from, to)
}

// local is a socket under the name that it was moved to.
type local struct {
	net.Listener
	path string
	file os.FileInfo
}

// Addr is where it is now.
func (l *local) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Close removes the file, unless another has taken its place.
func (l *local) Close() error {
	if err := l.Listener.Close(); err != nil {
		return err
	}
	if now, err := os.Lstat(l.path); err != nil || !os.SameFile(now, l.file) {
		return nil
	}
	return os.Remove(l.path)
}

// DialLocal is the Dial of a socket that ListenLocal has opened. It tries the
// socket once, so that it can say plainly that nobody is there: the error is
// then ErrNobody.
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
		return nil, ErrNobody
	case err != nil:
		return nil, err
	}
	_ = probe.Close()
	return dial("passthrough:///local", cfg, grpc.WithContextDialer(open))
}

var (
	// ErrNobody is that no server is at a socket.
	ErrNobody = errors.New("nobody is there")
	// ErrTaken is that one is.
	ErrTaken = errors.New("another process answers there")
)
