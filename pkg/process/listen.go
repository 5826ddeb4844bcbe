package process

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// Listen listens on a TCP address. If the address is empty, it returns nil.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // the text of OpError would repeat the address
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return lis, nil
}
