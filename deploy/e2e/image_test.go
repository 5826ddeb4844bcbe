package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// buildImageBinaries builds the binaries with the build command of the Dockerfile and
// returns their directory.
func buildImageBinaries(t *testing.T) string {
	t.Helper()
	file, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	text := strings.ReplaceAll(string(file), "\\\n", "")
	run := regexp.MustCompile(`(?m)^RUN (?:--mount=\S+ +)*(.*\bgo build .*) -o /out/ (.*)$`).FindStringSubmatch(text)
	require.NotNil(t, run, "the build in the Dockerfile")
	dir := imageDir(t, run[0])
	cmd := exec.CommandContext(t.Context(), "sh", "-c", run[1]+" -o "+dir+"/ "+run[2])
	cmd.Dir = "../../services"
	cmd.Env = append(os.Environ(), "TARGETOS=", "TARGETARCH=", "VERSION=of-the-test")
	build, _, _ := strings.Cut(text, "\nFROM scratch\n")
	for _, env := range regexp.MustCompile(`(?m)^ENV (.*)$`).FindAllStringSubmatch(build, -1) {
		cmd.Env = append(cmd.Env, strings.Fields(env[1])...)
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

// imageDir returns a directory for the binaries of a build command. Beside the shared
// binaries it stays for the next run, so that go build links only what changed. Another
// command gets an empty directory, so that no test sees what an earlier one built.
func imageDir(t *testing.T, command string) string {
	t.Helper()
	shared := os.Getenv(raceBinVariable)
	if shared == "" {
		return t.TempDir()
	}
	dir := filepath.Join(shared, fmt.Sprintf("image-%x", sha256.Sum256([]byte(command))))
	all, err := filepath.Glob(filepath.Join(shared, "image-*"))
	require.NoError(t, err)
	for _, other := range all {
		if other != dir {
			require.NoError(t, os.RemoveAll(other))
		}
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

// help returns the help text of a command.
func help(t *testing.T, dir, binary string, verb ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, binary), append(verb, "help")...).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func TestImageHoldsTheServicesAndTheComposeFileKnowsThem(t *testing.T) {
	t.Parallel()
	dir := buildImageBinaries(t)
	built, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, b := range built {
		names = append(names, b.Name())
	}
	require.Equal(t, []string{"dashboard", "keyauth", "proxy", "router", "signalbox"}, names)
	version, err := exec.CommandContext(t.Context(), filepath.Join(dir, "signalbox"), "version").Output()
	require.NoError(t, err)
	require.Regexp(t, `^signalbox of-the-test\n`, string(version))

	p := loadCompose(t)
	for name, binary := range ours(p) {
		t.Run(name, func(t *testing.T) {
			s := p.Services[name]
			usage := help(t, dir, binary, s.Command[1:min(2, len(s.Command))]...)
			requireSettings(t, s, usage)
			requireVerbs(t, s, help(t, dir, "signalbox"))
			if s.HealthCheck != nil {
				admin := regexp.MustCompile(`--admin .*\[(127\.0\.0\.1:\d+)\]`).FindStringSubmatch(usage)
				require.NotNil(t, admin)
				require.Equal(t, []string{"CMD", "signalbox", "probe", "http://" + admin[1] + "/readyz"}, []string(s.HealthCheck.Test))
			}
		})
	}
}

func requireSettings(t *testing.T, s types.ServiceConfig, usage string) {
	t.Helper()
	known := regexp.MustCompile(`(?m)^ +(SIGNALBOX_\w+)$`).FindAllStringSubmatch(usage, -1)
	var unknown []string
	for variable := range s.Environment {
		is := func(k []string) bool { return k[1] == variable }
		if strings.HasPrefix(variable, "SIGNALBOX_") && !slices.ContainsFunc(known, is) {
			unknown = append(unknown, variable)
		}
	}
	slices.Sort(unknown)
	require.Empty(t, unknown, "settings that the binary does not have")
}

// requireVerbs checks that the subcommands of the container exist.
func requireVerbs(t *testing.T, s types.ServiceConfig, usage string) {
	t.Helper()
	lines := [][]string{s.Command}
	if s.HealthCheck != nil {
		lines = append(lines, s.HealthCheck.Test[1:])
	}
	for _, line := range lines {
		if len(line) > 1 && line[0] == "signalbox" {
			verb := regexp.MustCompile(`(?m)^ +signalbox ` + line[1] + `\b`)
			require.True(t, verb.MatchString(usage), "signalbox has no command %s", line[1])
		}
	}
}

// Addresses are configured on both sides; this checks that they match.
func TestComposeAddressesMeet(t *testing.T) {
	p := loadCompose(t)
	listens := func(address string) {
		t.Helper()
		host, port, _ := strings.Cut(address, ":")
		require.Contains(t, p.Services, host)
		require.Equal(t, "0.0.0.0:"+port, value(p.Services[host], "SIGNALBOX_LISTEN"), host)
	}
	for name := range ours(p) {
		for _, variable := range []string{"SIGNALBOX_ROUTER", "SIGNALBOX_KEYAUTH"} {
			if address := value(p.Services[name], variable); address != "" {
				listens(address)
			}
		}
		require.Empty(t, value(p.Services[name], "SIGNALBOX_ADMIN"), "profiles are for the container itself")
	}
	balancer := p.Services["balancer"]
	for variable, host := range map[string]string{"BALANCER_PROXY_1": "proxy-1", "BALANCER_PROXY_2": "proxy-2", "BALANCER_DASHBOARD": "dashboard"} {
		listens(value(balancer, variable))
		require.Equal(t, host, strings.Split(value(balancer, variable), ":")[0])
	}
	require.Equal(t, "0.0.0.0:"+strconv.Itoa(int(balancer.Ports[0].Target)), value(balancer, "BALANCER_LISTEN"))
	require.Contains(t, balancer.HealthCheck.Test, "http://"+value(balancer, "BALANCER_HEALTH")+"/")
	require.True(t, strings.HasPrefix(value(balancer, "BALANCER_HEALTH"), "127.0.0.1:"))
	_, inner, _ := strings.Cut(value(balancer, "BALANCER_INNER"), ":")
	require.Equal(t, "http://balancer:"+inner, value(p.Services["dashboard"], "SIGNALBOX_PROXY"))
}

// Runs the command of the compose file unchanged except for the address.
func TestComposeRedisKeepsEverythingBehindAPassword(t *testing.T) {
	t.Parallel()
	s := loadCompose(t).Services["redis"]
	// Compose writes $$ for a dollar sign.
	var args []string
	for _, a := range s.Command {
		args = append(args, strings.ReplaceAll(a, "$$", "$"))
	}
	dir, err := os.MkdirTemp("", "redis-") // short, as a socket's path must be
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(args[0], append(args[1:], "--port", "0", "--unixsocket", socket)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "REDISCLI_AUTH=" + value(s, "REDISCLI_AUTH")}
	// A server that the shell left behind must be killed too.
	cmd.SysProcAttr, cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, time.Second
	var log synced
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })

	check := func(password string) error {
		probe := exec.Command("sh", "-c", strings.Replace(s.HealthCheck.Test[1], "redis-cli", "redis-cli -s "+socket, 1))
		probe.Env = []string{"PATH=" + os.Getenv("PATH"), "REDISCLI_AUTH=" + password}
		return probe.Run()
	}
	require.Eventually(t, func() bool { return check(value(s, "REDISCLI_AUTH")) == nil }, waitTimeout, pollInterval, log.String())
	require.Error(t, check(""))
	for setting, want := range map[string]string{"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "everysec", "auto-aof-rewrite-min-size": "536870912", "rdbcompression": "no"} {
		get := exec.Command("redis-cli", "-s", socket, "config", "get", setting)
		get.Env = cmd.Env
		out, err := get.Output()
		require.NoError(t, err)
		require.Equal(t, setting+"\n"+want+"\n", string(out))
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM), "the signal reaches the server, not a shell")
	require.NoError(t, cmd.Wait())
}
