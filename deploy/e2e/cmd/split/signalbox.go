package main

import (
	"crypto/rand"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// runSignalbox runs a command of the signalbox binary, as docker-compose.yml does.
func runSignalbox(bin string, env []string, args ...string) error {
	cmd := exec.Command(filepath.Join(bin, "signalbox"), args...)
	cmd.Env = append([]string{raceEnv()}, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("signalbox %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// createLogins creates a Postgres login for each service with a store and returns
// the connection URL of each.
func createLogins(bin, postgres string) (map[string]string, error) {
	env := []string{"SIGNALBOX_POSTGRES_URL=" + postgres}
	urls := map[string]string{}
	for _, s := range []string{"keyauth", "router", "dashboard"} {
		password := rand.Text()
		env = append(env, "SIGNALBOX_"+strings.ToUpper(s)+"_PASSWORD="+password)
		// net/url cannot parse a URL with several hosts.
		scheme, rest, _ := strings.Cut(postgres, "://")
		urls[s] = scheme + "://signalbox_" + s + ":" + password + "@" + rest[strings.Index(rest, "@")+1:]
	}
	return urls, runSignalbox(bin, env, "logins")
}
