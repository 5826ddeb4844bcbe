package allinone

import (
	"context"
	"fmt"
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
	return "http://" + p.listener.Addr().String()
}

func greeting(base string, res *keyauthv1.BootstrapResponse) string {
	var b strings.Builder
	line := func(name, value, note string) { fmt.Fprintf(&b, "  %-10s %s%s\n", name, value, note) }
	fmt.Fprintf(&b, "\nSignalbox is running.\n\n")
	line("Base URL", base+proxy.BasePath, "")
	if res.GetClaimToken() != "" {
		line("Claim", base+"/claim?token="+url.QueryEscape(res.GetClaimToken()), "   (makes the operator's account yours; works once)")
	} else {
		line("Dashboard", base, "")
	}
	key := res.GetKey()
	if key != "" {
		line("Key", key, "   (shown only now)")
	} else {
		key = "$KEY"
	}
	quote := "'"
	if key == "$KEY" {
		quote = `"`
	}
	fmt.Fprintf(&b, "\nTry it:\n\n  curl -i %s%s/chat/completions -H %sAuthorization: Bearer %s%s -H 'Content-Type: application/json' -d '%s'\n\n",
		base, proxy.BasePath, quote, key, quote, `{"model":"auto","messages":[{"role":"user","content":"Say hello"}]}`)
	return b.String()
}
