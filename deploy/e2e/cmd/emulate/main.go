// Command emulate serves the emulated vendors on one address, each under its own
// path prefix. It prints one JSON line with the base URLs and runs until it is
// stopped. Package emulate describes the directives that prompts can contain. Each
// vendor lists the calls it received at <prefix>/_emulate/book.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	key := flag.String("key", "", "the only accepted credential; by default any is accepted")
	flag.Parse()
	ctx, stop := lifecycle.NotifySignals(context.Background())
	err := run(ctx, *listen, *key)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "emulate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, key string) error {
	var o emulate.Options
	if key != "" {
		o.Keys = []string{key}
	}
	lis, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: emulate.All(o), ReadHeaderTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	url := "http://" + lis.Addr().String()
	where := map[string]string{
		"openai": url + "/openai/v1", "azure": url + "/azure/openai/v1", "anthropic": url + "/anthropic/v1", "gemini": url + "/gemini/v1beta",
	}
	if err := json.NewEncoder(os.Stdout).Encode(where); err != nil {
		return err
	}
	if err := server.Serve(lis); ctx.Err() == nil {
		return err
	}
	return nil
}
