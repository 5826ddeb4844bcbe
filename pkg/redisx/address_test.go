package redisx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURLs(t *testing.T) {
	for url, want := range map[string]address{
		"redis://h":                         {hosts: []string{"h:6379"}},
		"redis://h:1/2":                     {hosts: []string{"h:1"}, db: 2},
		"redis://u:p%40s@h:1":               {hosts: []string{"h:1"}, user: "u", password: "p@s"},
		"redis://:p@[::1]:7/0":              {hosts: []string{"[::1]:7"}, password: "p"},
		"redis-cluster://u:p@a:1,b,[::1]:3": {kind: cluster, hosts: []string{"a:1", "b:6379", "[::1]:3"}, user: "u", password: "p"},
		"redis-sentinel://u:p@a,b:1/3?master=m&sentinel_user=su&sentinel_password=sp": {
			kind: sentinel, hosts: []string{"a:26379", "b:1"}, db: 3, user: "u", password: "p", master: "m", sentinelUser: "su", sentinelPassword: "sp",
		},
	} {
		got, err := parse(url)
		require.NoError(t, err, url)
		want.network = "tcp"
		require.Equal(t, want, *got, url)
	}
	got, err := parse("unix://u:p@/run/redis.sock")
	require.NoError(t, err)
	require.Equal(t, address{network: "unix", hosts: []string{"/run/redis.sock"}, user: "u", password: "p"}, *got)
	for _, scheme := range []string{"rediss://h", "rediss-cluster://h", "rediss-sentinel://h/0?master=m"} {
		got, err := parse(scheme)
		require.NoError(t, err)
		require.NotNil(t, got.tls, scheme)
		require.False(t, got.tls.InsecureSkipVerify)
	}
}

func TestBadURLsAreRefusedWithoutShowingThem(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for _, url := range []string{
		"", "redis", "http://u:sesame@h", "redis://u:sesame@h:port", "redis://u:sesame@h:0", "redis://u:sesame@h:70000", "redis://u:sesame@h:1/x", "redis://u:sesame@h/-1",
		"redis://u:ses%zzame@h", "redis://u:sesame@a,b", "redis://u:sesame@", "redis-cluster://u:sesame@a/1", "redis-cluster://u:sesame@a,,b",
		"redis-sentinel://u:sesame@a", "redis://u:sesame@a?master=m", "redis://u:sesame@a?skip_verify=true", "redis://u:sesame@a?ca=/x",
		"redis://u?sesame@a", "redis://h/?sesame=1", "rediss://u:sesame@a?ca=%zz", "rediss://u:sesame@a?cert=/x;key=/y", "unix:///socket?sesame",
		"rediss://u:sesame@a?ca=/no/such/file", "rediss://u:sesame@a?ca=" + empty, "rediss://u:sesame@a?cert=/no/such/file",
	} {
		_, err := Open(url, Options{})
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "sesame")
	}
}
