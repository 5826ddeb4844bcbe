package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// addresses are those that were given to a service already.
type addresses map[string]bool

// free is below the ports that the kernel gives to connections and to
// servers that leave the choice to it: one of those could take the port before
// the service does, and each time the service is started again.
func (given addresses) free() (string, error) {
	var err error
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.N(10_000))
		var lis net.Listener
		if lis, err = net.Listen("tcp", addr); err == nil && !given[addr] {
			given[addr] = true
			return addr, lis.Close()
		}
	}
	return "", errors.Join(errors.New("no free address"), err)
}
