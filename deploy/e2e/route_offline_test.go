package e2e

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBehaviour15ItCallsNobodyOutside: the first run needs no network and connects to no
// other host, not even during shutdown, when buffered data is sent.
func TestBehaviour15ItCallsNobodyOutside(t *testing.T) {
	t.Parallel()
	// Exporting is an explicit setting.
	box := startWithEnv(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT="}, t.TempDir())
	pid := box.cmd.Process.Pid
	require.NotEmpty(t, sockets(pid))
	for range 20 {
		res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.Empty(t, outside(t, pid))
	}
	box.Terminate()
	for ended := false; !ended; ended = wait(pollInterval, box.exited) {
		require.Empty(t, outside(t, pid))
	}
}

// sockets returns the socket inodes of a process.
func sockets(pid int) (all []string) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, f := range files {
		name, _ := os.Readlink(f)
		if inode, ok := strings.CutPrefix(name, "socket:["); ok {
			all = append(all, strings.TrimSuffix(inode, "]"))
		}
	}
	return all
}

// outside returns the addresses of other hosts that a process has sockets to; none when
// it has exited.
func outside(t *testing.T, pid int) (all []string) {
	t.Helper()
	own := sockets(pid)
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6"} {
		table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, kind))
		for line := range strings.Lines(string(table)) {
			f := strings.Fields(line)
			if len(f) < 10 || !slices.Contains(own, f[9]) {
				continue
			}
			if to := parseKernelAddress(t, f[2]); !to.IsLoopback() && !to.IsUnspecified() {
				all = append(all, kind+" "+to.String())
			}
		}
	}
	return all
}

// parseKernelAddress parses an address of /proc/net: words of four bytes, lowest byte
// first.
func parseKernelAddress(t *testing.T, text string) netip.Addr {
	t.Helper()
	digits, _, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(digits)
	require.NoError(t, err)
	for word := range slices.Chunk(raw, 4) {
		slices.Reverse(word)
	}
	a, ok := netip.AddrFromSlice(raw)
	require.True(t, ok, text)
	return a.Unmap()
}
