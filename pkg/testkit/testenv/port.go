package testenv

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// The kernel assigns no port of this range to outgoing connections, so that a restarted server finds its
// port free.
const firstPort, portCount = 10_000, 20_000

// reservations holds a UDP socket at each reserved port. The system closes them when the process dies.
var reservations struct {
	sync.Mutex
	sockets []net.PacketConn
}

// ReservePort returns a free TCP port of 127.0.0.1. While this process runs, no other caller of ReservePort
// gets it, in no process, so the server may bind it late and again. Packages start servers at the same time,
// and would otherwise choose the port of a server that is not listening yet.
func ReservePort() (int, error) {
	var failed error
	for range attempts * 10 {
		port := firstPort + rand.N(portCount)
		if failed = reserve("127.0.0.1:" + strconv.Itoa(port)); failed == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port: %w", failed)
}

func reserve(addr string) error {
	socket, err := net.ListenPacket("udp", addr)
	if err != nil {
		return err
	}
	server, err := net.Listen("tcp", addr)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	reservations.Lock()
	reservations.sockets = append(reservations.sockets, socket)
	reservations.Unlock()
	return server.Close()
}
