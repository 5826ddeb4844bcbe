package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// usedAddresses holds the addresses already assigned to services.
type usedAddresses map[string]bool

// pickFree returns a free address below the ephemeral port range. The kernel could
// assign an ephemeral port to another process before the service starts or while
// it restarts.
func (given usedAddresses) pickFree() (string, error) {
	var err error
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.N(10_000))
		var lis net.Listener
		if lis, err = net.Listen("tcp", addr); err == nil && !given[addr] {
			given[addr] = true
			return addr, lis.Close()
		}
	}
	return "", errors.Join(errors.New("find a free port: all tried ports are in use"), err)
}
