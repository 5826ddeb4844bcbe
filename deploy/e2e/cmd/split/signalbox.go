package main

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
)

// signalbox runs a verb of the operator's binary, as docker-compose.yml does.
func signalbox(bin string, env []string, args ...string) error {
	cmd := exec.Command(filepath.Join(bin, "signalbox"), args...)
	cmd.Env = append([]string{}, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("signalbox %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// makeLogins gives each service that keeps something a login of its own, and
// returns the urls by which they come.
func makeLogins(bin, postgres string) (map[string]string, error) {
	env := []string{"SIGNALBOX_POSTGRES_URL=" + postgres}
	urls := map[string]string{}
	for _, s := range []string{"keyauth", "router", "dashboard"} {
		u, err := url.Parse(postgres)
		if err != nil {
			return nil, err
		}
		password := rand.Text()
		u.User = url.UserPassword("signalbox_"+s, password)
		env = append(env, "SIGNALBOX_"+strings.ToUpper(s)+"_PASSWORD="+password)
		urls[s] = u.String()
	}
	return urls, signalbox(bin, env, "logins")
}
