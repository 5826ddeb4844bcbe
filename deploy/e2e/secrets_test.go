package e2e

import (
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// volumes maps the mount points of a service to its named volumes.
func volumes(s types.ServiceConfig) map[string]string {
	found := map[string]string{}
	for _, v := range s.Volumes {
		if v.Type == types.VolumeTypeVolume {
			found[v.Target] = v.Source
		}
	}
	return found
}

// The certs job has one volume per role and one for the CA. A service mounts only the
// volume of its role, at the same path and read-only.
func TestComposeEachServiceSeesItsOwnCertificateAlone(t *testing.T) {
	p := loadCompose(t)
	made := volumes(p.Services["certs"])
	for name, s := range p.Services {
		if name == "certs" {
			continue
		}
		role := map[string]string{"proxy-1": "proxy", "proxy-2": "proxy", "bootstrap": "operator"}[name]
		if slices.Contains([]string{"router", "keyauth", "dashboard"}, name) {
			role = name
		}
		for _, v := range s.Volumes {
			if slices.Contains(slices.Collect(maps.Values(made)), v.Source) {
				require.Equal(t, "/certs/"+role, v.Target, name)
				require.True(t, v.ReadOnly, name)
			}
		}
		require.Equal(t, made["/certs/"+role], volumes(s)["/certs/"+role], name)
		require.Equal(t, role != "", value(s, "SIGNALBOX_CERTS") == "/certs", name)
	}
}

// Runs the command of the compose file unchanged except for the directory. Each directory
// that it fills is a volume.
func TestComposeCertificatesFillTheVolumes(t *testing.T) {
	s := loadCompose(t).Services["certs"]
	dir := t.TempDir()
	args := slices.Clone(s.Command[1:])
	require.Equal(t, "/certs", args[len(args)-1])
	args[len(args)-1] = dir
	out, err := exec.CommandContext(t.Context(), signalboxPath, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, len(volumes(s)))
	for _, e := range entries {
		require.Contains(t, volumes(s), "/certs/"+e.Name())
	}
	key, err := filepath.Glob(dir + "/*/key.pem")
	require.NoError(t, err)
	require.Len(t, key, len(entries))
}

// A volume inherits its owner from the image directory that it is mounted on.
func TestImageHasAFolderForEveryVolume(t *testing.T) {
	file, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	made := regexp.MustCompile(`/mounts(/\S+)`).FindAllStringSubmatch(string(file), -1)
	require.NotEmpty(t, made)
	require.Contains(t, string(file), "--chown=65532:65532 /mounts/ /\n")
	p := loadCompose(t)
	for name := range ours(p) {
		for target := range volumes(p.Services[name]) {
			has := func(m []string) bool { return m[1] == target }
			require.True(t, slices.ContainsFunc(made, has), "%s of %s", target, name)
		}
	}
}

// A service has only the password of its own login. Only Postgres and the logins job
// have the superuser's.
func TestComposeEachServiceKnowsItsOwnPasswordAlone(t *testing.T) {
	file := freshEnv(t)
	p, err := compose(t, file)
	require.NoError(t, err)
	knows := map[string][]string{
		"POSTGRES_PASSWORD":  {"logins", "postgres"},
		"KEYAUTH_PASSWORD":   {"keyauth", "logins"},
		"ROUTER_PASSWORD":    {"logins", "router"},
		"DASHBOARD_PASSWORD": {"dashboard", "logins"},
		"REDIS_PASSWORD":     {"dashboard", "proxy-1", "proxy-2", "redis"},
	}
	for variable, secret := range readEnv(t, file) {
		var found []string
		for name, s := range p.Services {
			for _, v := range s.Environment {
				if strings.Contains(*v, secret) {
					found = append(found, name)
				}
			}
		}
		require.ElementsMatch(t, knows[variable], found, variable)
	}
	for _, name := range []string{"keyauth", "router", "dashboard"} {
		u, err := url.Parse(value(p.Services[name], "SIGNALBOX_POSTGRES_URL"))
		require.NoError(t, err)
		require.Equal(t, "signalbox_"+name, u.User.Username())
		password, _ := u.User.Password()
		require.Equal(t, value(p.Services["logins"], "SIGNALBOX_"+strings.ToUpper(name)+"_PASSWORD"), password)
	}
}
