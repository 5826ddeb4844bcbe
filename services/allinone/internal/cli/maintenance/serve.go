package maintenance

import (
	"context"
	"os"

	"github.com/signalbox/signalbox/services/allinone"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// Serve starts the gateway and runs until ctx ends.
func Serve(ctx context.Context, c cli.Invocation) error {
	cfg, err := loadConfig(c)
	if err != nil {
		return err
	}
	return allinone.Run(ctx, cfg, c.Environ, c.Out, c.Err)
}

func runDoctor(ctx context.Context, c cli.Invocation) error {
	cfg, err := loadConfig(c)
	if err != nil {
		return err
	}
	return allinone.Doctor(ctx, cfg, c.Environ, c.Out)
}

func loadConfig(c cli.Invocation) (allinone.Config, error) {
	cfg, err := allinone.LoadConfig(c.Args, c.Environ)
	cfg.Process.Telemetry.Version = c.Version
	cfg.Process.Telemetry.Getenv = os.Getenv
	return cfg, err
}
