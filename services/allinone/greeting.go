package allinone

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

// startTimeout limits how long the services may take to become ready.
const startTimeout = 30 * time.Second

// greet waits until the proxy can serve requests and prints the greeting. On a first
// start it creates the operator's account and a key. The key is shown only here.
func (p *gateway) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-p.proxy.Ready():
	case <-ctx.Done():
		return fmt.Errorf("the services did not become ready within %s: %w", startTimeout, ctx.Err())
	}
	res, err := p.accounts.Bootstrap(ctx, &keyauthv1.BootstrapRequest{Name: "operator"})
	if err != nil {
		return fmt.Errorf("create the operator account: %w", err)
	}
	_, err = p.out.Write([]byte(formatGreeting(p.publicURL(), res)))
	return err
}

// publicURL returns the address that users and clients should use.
func (p *gateway) publicURL() string {
	if p.cfg.Dashboard.PublicURL != "" {
		return strings.TrimRight(p.cfg.Dashboard.PublicURL, "/")
	}
	host, port, _ := net.SplitHostPort(p.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost" // the process listens on every address; print one that works here
	}
	return "http://" + net.JoinHostPort(host, port)
}

const exampleRequest = `{"model":"auto","messages":[{"role":"user","content":"Say hello"}]}`

func formatGreeting(base string, res *keyauthv1.BootstrapResponse) string {
	var b strings.Builder
	line := func(name, value, note string) { fmt.Fprintf(&b, "  %-10s %s%s\n", name, value, note) }
	b.WriteString("\nSignalbox is running.\n\n")
	line("Base URL", base+proxy.BasePath, "")
	if res.GetClaimToken() != "" {
		line("Claim", base+"/claim?token="+url.QueryEscape(res.GetClaimToken()), "   (open it to create your login; works once)")
	} else {
		line("Dashboard", base, "")
	}
	// The shell expands $SIGNALBOX_KEY only inside double quotes.
	auth := `"Authorization: Bearer $SIGNALBOX_KEY"`
	if key := res.GetKey(); key != "" {
		line("Key", key, "   (shown only once)")
		auth = "'Authorization: Bearer " + key + "'"
	} else {
		line("Key", "set SIGNALBOX_KEY to an existing key, or create one at "+base+"/keys", "")
	}
	fmt.Fprintf(&b, "\nSend a first request:\n\n  curl -i %s%s/chat/completions -H %s -H 'Content-Type: application/json' -d '%s'\n\nFor all commands, run bin/signalbox help.\n\n",
		base, proxy.BasePath, auth, exampleRequest)
	return b.String()
}
