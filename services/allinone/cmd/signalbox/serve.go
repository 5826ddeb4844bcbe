package main

import (
	"context"
	"fmt"
	"os"

	"github.com/signalbox/signalbox/services/allinone"
)

// serve runs the gateway until ctx ends.
func serve(ctx context.Context, c call) error {
	cfg, err := settings(c)
	if err != nil {
		return err
	}
	return allinone.Run(ctx, cfg, c.environ, c.out, c.err)
}

func doctor(ctx context.Context, c call) error {
	cfg, err := settings(c)
	if err != nil {
		return err
	}
	return allinone.Doctor(ctx, cfg, c.environ, c.out)
}

func settings(c call) (allinone.Config, error) {
	cfg, err := allinone.LoadConfig(c.args, c.environ)
	cfg.Process.Telemetry.Version = version
	cfg.Process.Telemetry.Getenv = os.Getenv
	return cfg, err
}

func printVersion(_ context.Context, c call) error {
	_, err := fmt.Fprintln(c.out, "signalbox", version)
	return err
}
