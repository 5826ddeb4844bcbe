package e2e

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

const composeFile = "../../docker-compose.yml"

// freshEnv returns a password file written by the script of `make env`.
func freshEnv(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), ".env")
	writeEnv(t, file)
	return file
}

func writeEnv(t *testing.T, file string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "../scripts/env", file).CombinedOutput()
	require.NoError(t, err, string(out))
	for _, secret := range readEnv(t, file) {
		require.NotContains(t, string(out), secret)
	}
}

func readEnv(t *testing.T, file string) map[string]string {
	t.Helper()
	env, err := dotenv.Read(file)
	require.NoError(t, err)
	return env
}

// compose loads the compose file as docker compose does, with only the env file and the
// extra variables.
func compose(t *testing.T, envFile string, extra ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{composeFile},
		cli.WithEnv(extra), cli.WithEnvFiles(envFile), cli.WithDotEnv, cli.WithProfiles([]string{"*"}))
	require.NoError(t, err)
	return options.LoadProject(t.Context())
}

func loadCompose(t *testing.T, extra ...string) *types.Project {
	t.Helper()
	project, err := compose(t, freshEnv(t), extra...)
	require.NoError(t, err)
	return project
}

// jobs are the services that exit when their work is done.
var jobs = []string{"bootstrap", "certs", "logins"}

// ours maps the services that run one of our binaries to that binary.
func ours(p *types.Project) map[string]string {
	found := map[string]string{}
	for name, s := range p.Services {
		if strings.HasPrefix(s.Image, "signalbox:") {
			found[name] = s.Command[0]
		}
	}
	return found
}

func value(s types.ServiceConfig, name string) string {
	if v := s.Environment[name]; v != nil {
		return *v
	}
	return ""
}

func TestEnvAddsWhatIsMissingAndChangesNothing(t *testing.T) {
	file := freshEnv(t)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	first := readEnv(t, file)
	seen := map[string]string{}
	for name, secret := range first {
		require.Regexp(t, `^[0-9a-f]{64}$`, secret, name)
		require.Empty(t, seen[secret], "each has its own")
		seen[secret] = name
	}
	require.Len(t, seen, 5)

	writeEnv(t, file)
	require.Equal(t, first, readEnv(t, file))

	require.NoError(t, os.WriteFile(file, []byte("# mine\nREDIS_PASSWORD=chosen"), 0o644))
	writeEnv(t, file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Regexp(t, `^# mine\nREDIS_PASSWORD=chosen\n([A-Z]+_PASSWORD=[0-9a-f]{64}\n){4}$`, string(text))
	info, err = os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestComposeStartsWithNoPasswordMissing(t *testing.T) {
	for missing := range readEnv(t, freshEnv(t)) {
		file := freshEnv(t)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		text = regexp.MustCompile(missing+`=.*`).ReplaceAll(text, nil)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		_, err = compose(t, file)
		require.ErrorContains(t, err, missing)
		require.ErrorContains(t, err, "run make env")
	}
}

var secretName = regexp.MustCompile(`PASSWORD|_AUTH$|TOKEN|SECRET|_URL$`)

// Secrets differ between two installations and come from variables only.
func TestComposeHoldsNoSecret(t *testing.T) {
	one, other := loadCompose(t), loadCompose(t)
	for name, s := range one.Services {
		for variable, v := range s.Environment {
			// Empty values and "set" are not secrets.
			if secretName.MatchString(variable) && variable != "SIGNALBOX_PUBLIC_URL" && variable != "HF_TOKEN" {
				require.NotEqual(t, *v, value(other.Services[name], variable), "%s of %s", variable, name)
			}
		}
		require.Equal(t, s.Command, other.Services[name].Command)
		require.Equal(t, s.HealthCheck, other.Services[name].HealthCheck)
	}
}

func TestComposeCredentialsOfProvidersReachProxiesAlone(t *testing.T) {
	catalog, err := os.ReadFile("../../pkg/catalog/providers.json")
	require.NoError(t, err)
	var extra []string
	for _, m := range regexp.MustCompile(`"env": *"(\w+)"`).FindAllStringSubmatch(string(catalog), -1) {
		extra = append(extra, m[1]+"=credential of "+m[1])
	}
	require.NotEmpty(t, extra)
	with, without := loadCompose(t, extra...), loadCompose(t)
	for service, binary := range ours(with) {
		for _, kv := range extra {
			name, credential, _ := strings.Cut(kv, "=")
			want := map[string]string{"proxy": credential, "router": "set"}[binary]
			require.Equal(t, want, value(with.Services[service], name), "%s of %s", name, service)
			require.Empty(t, value(without.Services[service], name))
		}
	}
}

// Without a digest, the images are those of an exact tag. A variable replaces each of them.
func TestComposeImagesAreExact(t *testing.T) {
	exact := regexp.MustCompile(`^[a-z]+:\d+\.\d+\.?\d*-(alpine|bookworm)$`)
	p := loadCompose(t)
	dockerfile, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	require.Contains(t, string(dockerfile), "ARG GO_IMAGE="+*p.Services["certs"].Build.Args["GO_IMAGE"]+"\n")
	const pinned = "registry.example/image:1@sha256:0123"
	other := loadCompose(t, "REDIS_IMAGE="+pinned, "POSTGRES_IMAGE="+pinned, "HAPROXY_IMAGE="+pinned, "GO_IMAGE="+pinned)
	for _, name := range []string{"redis", "postgres", "balancer"} {
		require.Regexp(t, exact, p.Services[name].Image)
		require.Equal(t, pinned, other.Services[name].Image)
	}
	require.Regexp(t, exact, *p.Services["certs"].Build.Args["GO_IMAGE"])
	require.Equal(t, pinned, *other.Services["certs"].Build.Args["GO_IMAGE"])
}

// The policy of a file, TLS and sign-on need a folder each. Without them, nothing is switched on.
func TestComposeTakesAPolicyACertificateAndIssuers(t *testing.T) {
	source := func(s types.ServiceConfig, target string) string {
		for _, v := range s.Volumes {
			if v.Target == target && v.ReadOnly && v.Type == types.VolumeTypeBind {
				return v.Source
			}
		}
		return ""
	}
	without := loadCompose(t)
	with := loadCompose(t, "SIGNALBOX_POLICY_DIR=/srv/policy", "SIGNALBOX_TLS_DIR=/srv/tls", "SIGNALBOX_SIGN_ON_DIR=/srv/sign-on", "SIGNALBOX_SSO_ONLY=true")
	require.Empty(t, value(without.Services["router"], "SIGNALBOX_CONFIG"))
	require.Empty(t, value(without.Services["balancer"], "BALANCER_TLS"))
	require.Equal(t, "/etc/signalbox/signalbox.yaml", value(with.Services["router"], "SIGNALBOX_CONFIG"))
	require.Equal(t, "/srv/policy", source(with.Services["router"], "/etc/signalbox"))
	require.Contains(t, value(with.Services["balancer"], "BALANCER_TLS"), "ssl crt /usr/local/etc/haproxy/tls ")
	require.Equal(t, "/srv/tls", source(with.Services["balancer"], "/usr/local/etc/haproxy/tls"))
	require.Empty(t, value(without.Services["dashboard"], "SIGNALBOX_OIDC_FILE"))
	require.Empty(t, value(loadCompose(t, "SIGNALBOX_SSO_ONLY=true").Services["keyauth"], "SIGNALBOX_SSO_ONLY"), "without issuers")
	require.Equal(t, "/sign-on/issuers.yaml", value(with.Services["dashboard"], "SIGNALBOX_OIDC_FILE"))
	require.Equal(t, "/srv/sign-on", source(with.Services["dashboard"], "/sign-on"))
	require.Equal(t, "true", value(with.Services["keyauth"], "SIGNALBOX_SSO_ONLY"))
	for _, dir := range []string{
		source(without.Services["router"], "/etc/signalbox"),
		source(without.Services["balancer"], "/usr/local/etc/haproxy/tls"),
		source(without.Services["dashboard"], "/sign-on"),
	} {
		require.DirExists(t, dir)
	}
}

func TestComposeOnlyTheBalancerIsPublishedOnLoopback(t *testing.T) {
	for name, s := range loadCompose(t).Services {
		if name != "balancer" {
			require.Empty(t, s.Ports, name)
			require.NotEqual(t, "host", s.NetworkMode, name)
			continue
		}
		require.Len(t, s.Ports, 1)
		require.Equal(t, "127.0.0.1", s.Ports[0].HostIP)
		require.Equal(t, "8080", s.Ports[0].Published)
	}
}

func TestComposeProxiesCannotReachTheDatabase(t *testing.T) {
	p := loadCompose(t)
	shared := func(a, b string) bool {
		for network := range p.Services[a].Networks {
			if _, ok := p.Services[b].Networks[network]; ok {
				return true
			}
		}
		return false
	}
	for name, binary := range ours(p) {
		keeps := name == "logins" || slices.Contains([]string{"keyauth", "router", "dashboard"}, binary)
		require.Equal(t, keeps, shared(name, "postgres"), name)
	}
	for _, name := range []string{"control", "carrier", "store"} {
		require.True(t, p.Networks[name].Internal, name)
	}
	require.False(t, shared("balancer", "keyauth") || shared("balancer", "router"))
}

func TestComposeEverythingIsHardened(t *testing.T) {
	for name, s := range loadCompose(t).Services {
		require.NotContains(t, []string{"", "0", "root"}, strings.Split(s.User, ":")[0], name)
		require.True(t, s.ReadOnly, name)
		require.False(t, s.Privileged, name)
		require.Equal(t, []string{"ALL"}, s.CapDrop, name)
		require.Contains(t, s.SecurityOpt, "no-new-privileges:true", name)
		require.Positive(t, s.Ulimits["nofile"].Single, name)
		require.NotEmpty(t, s.Logging.Options["max-size"], name)
	}
}

func TestComposeStartOrderIsByHealth(t *testing.T) {
	p := loadCompose(t)
	after := map[string][]string{
		"certs": nil, "redis": nil, "postgres": nil, "logins": {"postgres"},
		"keyauth": {"certs", "logins", "postgres"}, "router": {"certs", "logins", "postgres"},
		"dashboard": {"certs", "keyauth", "logins", "postgres", "redis", "router"},
		"proxy-1":   {"certs", "keyauth", "redis", "router"},
		"proxy-2":   {"certs", "keyauth", "redis", "router"},
		"balancer":  {"dashboard", "proxy-1", "proxy-2"},
		"bootstrap": {"keyauth"},
	}
	require.Equal(t, slices.Sorted(maps.Keys(after)), p.ServiceNames())
	for name, s := range p.Services {
		require.Equal(t, after[name], slices.Sorted(maps.Keys(s.DependsOn)), name)
		for other, d := range s.DependsOn {
			want := types.ServiceConditionHealthy
			if slices.Contains(jobs, other) {
				want = types.ServiceConditionCompletedSuccessfully
			}
			require.Equal(t, want, d.Condition, "%s after %s", name, other)
		}
		oneShot := s.Restart == "no"
		require.Equal(t, slices.Contains(jobs, name), oneShot, name)
		require.Equal(t, oneShot, s.HealthCheck == nil, name)
	}
}

func TestComposeEachProxyHasASpoolOfItsOwn(t *testing.T) {
	p := loadCompose(t)
	kept := map[string]string{}
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeVolume || v.ReadOnly || name == "certs" {
				continue
			}
			require.Contains(t, p.Volumes, v.Source)
			require.Empty(t, kept[v.Source], "%s is written by two", v.Source)
			kept[v.Source] = name + ":" + v.Target
		}
	}
	require.Equal(t, map[string]string{
		"keyauth": "keyauth:/data", "redis": "redis:/data", "dashboard": "dashboard:/data",
		"postgres": "postgres:/var/lib/postgresql/data", "postgres-socket": "postgres:/var/run/postgresql",
		"proxy-1": "proxy-1:/data", "proxy-2": "proxy-2:/data",
	}, kept)
	for name, binary := range ours(p) {
		if binary == "proxy" || binary == "keyauth" || binary == "dashboard" {
			require.Equal(t, "/data", value(p.Services[name], "SIGNALBOX_DATA"), name)
		}
	}
}

// Few machines have docker compose. Where it is installed, it must accept the file.
func TestComposeIsAcceptedByDocker(t *testing.T) {
	if exec.CommandContext(t.Context(), "docker", "compose", "version").Run() != nil {
		return
	}
	out, err := exec.CommandContext(t.Context(), "docker", "compose",
		"--env-file", freshEnv(t), "--file", composeFile, "config", "--quiet").CombinedOutput()
	require.NoError(t, err, string(out))
}
