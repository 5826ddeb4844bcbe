package main

import (
	"context"
	"fmt"
	"os"

	"github.com/signalbox/signalbox/services/allinone"
)

func serve(ctx context.Context, c invocation) error {
	cfg, err := loadConfig(c)
	if err != nil {
		return err
	}
	return allinone.Run(ctx, cfg, c.environ, c.out, c.err)
}

func runDoctor(ctx context.Context, c invocation) error {
	cfg, err := loadConfig(c)
	if err != nil {
		return err
	}
	return allinone.Doctor(ctx, cfg, c.environ, c.out)
}

func loadConfig(c invocation) (allinone.Config, error) {
	cfg, err := allinone.LoadConfig(c.args, c.environ)
	cfg.Process.Telemetry.Version = version
	cfg.Process.Telemetry.Getenv = os.Getenv
	return cfg, err
}

func printVersion(_ context.Context, c invocation) error {
	_, err := fmt.Fprintln(c.out, "signalbox", version)
	return err
}
