package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The gateway calls no address that the operator did not configure: no update check, no
// telemetry, no download. The test runs it in a network namespace that has only a loopback
// interface, lets it serve, and reads the kernel's counters of packets without a route.
func TestStartsAndServesWithoutANetwork(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"unshare", "nsenter", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--net", "true").CombinedOutput(); err != nil {
		t.Skipf("this machine does not allow network namespaces: %s", out)
	}
	script := filepath.Join(t.TempDir(), "isolated")
	text := "#!/bin/sh\nexec unshare --user --map-root-user --net sh -c 'ip link set lo up && exec \"$0\" \"$@\"' " + signalboxPath + " \"$@\"\n"
	require.NoError(t, os.WriteFile(script, []byte(text), 0o755)) //nolint:gosec // it must be executable
	b := launchBinary(t, script, nil, t.TempDir())
	t.Cleanup(b.Kill)
	inside := func(args ...string) string {
		enter := []string{"--target", strconv.Itoa(b.cmd.Process.Pid), "--user", "--preserve-credentials", "--net"}
		out, _ := exec.CommandContext(t.Context(), "nsenter", append(enter, args...)...).CombinedOutput()
		return string(out)
	}
	body := `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`
	res := inside("curl", "-s", "-w", "%{http_code}", b.Base+"/proxy/v1/chat/completions", "-H", "Authorization: Bearer "+b.Key, "-H", "Content-Type: application/json", "-d", body)
	require.True(t, strings.HasSuffix(res, strconv.Itoa(http.StatusOK)), res)
	require.Contains(t, inside("curl", "-s", b.Base+"/health"), "ok")
	require.Contains(t, inside("curl", "-s", b.Base+"/docs"), "Signalbox documentation")
	require.Zero(t, b.packetsToOutside(), "it called an address outside")
	inside("curl", "-s", "--max-time", "2", "http://192.0.2.1/")
	require.NotZero(t, b.packetsToOutside(), "the counters would not notice a call")
}

// packetsToOutside counts the calls to addresses without a route, and all datagrams, because name
// servers can have addresses of the loopback interface.
func (b *Gateway) packetsToOutside() (n int) {
	b.t.Helper()
	counters := readNetCounters(b.t, b.cmd.Process.Pid)
	for _, name := range []string{"Ip.OutNoRoutes", "Ip6OutNoRoutes", "Udp.OutDatagrams", "Udp6OutDatagrams"} {
		value, ok := counters[name]
		require.True(b.t, ok, name)
		n += value
	}
	return n
}

// readNetCounters reads the counters of a process's network namespace. In snmp, a line of names
// precedes each line of values; snmp6 has one name and value per line.
func readNetCounters(t *testing.T, pid int) map[string]int {
	t.Helper()
	all := map[string]int{}
	dir := "/proc/" + strconv.Itoa(pid) + "/net/"
	text, err := os.ReadFile(dir + "snmp")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		names, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		for k := 1; k < len(names); k++ {
			all[strings.TrimSuffix(names[0], ":")+"."+names[k]], _ = strconv.Atoi(values[k])
		}
	}
	text, err = os.ReadFile(dir + "snmp6")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 {
			all[f[0]], _ = strconv.Atoi(f[1])
		}
	}
	return all
}
