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

// startLimit bounds how long the services may take to find each other.
const startLimit = 30 * time.Second

// greet waits until requests can be served, prepares an empty store, and tells
// a person what to do next. Key and link are shown here and nowhere else.
func (p *whole) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	select {
	case <-p.proxy.Ready():
	case <-ctx.Done():
		return fmt.Errorf("the services did not become ready: %w", ctx.Err())
	}
	res, err := p.accounts.Bootstrap(ctx, &keyauthv1.BootstrapRequest{Name: "operator"})
	if err != nil {
		return fmt.Errorf("prepare the store: %w", err)
	}
	_, err = p.out.Write([]byte(greeting(p.publicURL(), res)))
	return err
}

// publicURL is what people and programs are told to use.
func (p *whole) publicURL() string {
	if p.cfg.Dashboard.PublicURL != "" {
		return strings.TrimRight(p.cfg.Dashboard.PublicURL, "/")
	}
	host, port, _ := net.SplitHostPort(p.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost" // every address is served, and this one can be typed
	}
	return "http://" + net.JoinHostPort(host, port)
}

const hello = `{"model":"auto","messages":[{"role":"user","content":"Say hello"}]}`

func greeting(base string, res *keyauthv1.BootstrapResponse) string {
	var b strings.Builder
	line := func(name, value, note string) { fmt.Fprintf(&b, "  %-10s %s%s\n", name, value, note) }
	b.WriteString("\nSignalbox is running.\n\n")
	line("Base URL", base+proxy.BasePath, "")
	if res.GetClaimToken() != "" {
		line("Claim", base+"/claim?token="+url.QueryEscape(res.GetClaimToken()), "   (makes the operator's account yours; works once)")
	} else {
		line("Dashboard", base, "")
	}
	// The shell fills $KEY in only between double quotes.
	auth := `"Authorization: Bearer $KEY"`
	if key := res.GetKey(); key != "" {
		line("Key", key, "   (shown only now)")
		auth = "'Authorization: Bearer " + key + "'"
	} else {
		line("Key", "the one you have, as $KEY, or a new one from "+base+"/keys", "")
	}
	fmt.Fprintf(&b, "\nTry it:\n\n  curl -i %s%s/chat/completions -H %s -H 'Content-Type: application/json' -d '%s'\n\n",
		base, proxy.BasePath, auth, hello)
	return b.String()
}
