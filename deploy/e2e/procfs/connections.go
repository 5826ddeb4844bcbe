package procfs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The states of a socket in /proc/net/tcp.
const (
	tcpEstablished = "01"
	tcpListen      = "0A"
)

// CountConnections returns the number of TCP connections that a process and its descendants have
// accepted.
func CountConnections(pid int) (int, error) {
	all, err := List()
	if err != nil {
		return 0, err
	}
	var own []string
	for _, id := range all.Tree(pid) {
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", id))
		for _, link := range links {
			if name, err := os.Readlink(link); err == nil && strings.HasPrefix(name, "socket:[") {
				own = append(own, strings.Trim(name, "socket:[]"))
			}
		}
	}
	var tables []byte
	for _, path := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		tables = append(tables, text...)
	}
	return countAccepted(tables, own), nil
}

// countAccepted counts the established sockets among own, given by inode, at a port on which one of
// own listens.
func countAccepted(tables []byte, own []string) (n int) {
	isOwn := map[string]bool{}
	for _, inode := range own {
		isOwn[inode] = true
	}
	listening, established := map[string]bool{}, map[string]string{}
	for line := range bytes.Lines(tables) {
		// sl, local address, remote address, state, queues, timer, retransmits, uid, timeout, inode
		fields := strings.Fields(string(line))
		if len(fields) < 10 || !isOwn[fields[9]] {
			continue
		}
		_, port, _ := strings.Cut(fields[1], ":")
		switch fields[3] {
		case tcpListen:
			listening[port] = true
		case tcpEstablished:
			established[fields[9]] = port
		}
	}
	for _, port := range established {
		if listening[port] {
			n++
		}
	}
	return n
}
