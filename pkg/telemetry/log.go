package telemetry

import (
	"fmt"
	"io"
	"log/slog"
)

const (
	formatJSON    = "json"
	formatText    = "text"
	formatConsole = "console"
)

func newLog(cfg Config, out io.Writer) (*slog.Logger, error) {
	var level slog.Level // the zero value is info
	if cfg.LogLevel != "" {
		if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
			return nil, fmt.Errorf("log level: %w", err)
		}
	}
	opts := &slog.HandlerOptions{Level: level}
	switch cfg.LogFormat {
	case "", formatJSON:
		return withService(slog.NewJSONHandler(out, opts), cfg), nil
	case formatText:
		return withService(slog.NewTextHandler(out, opts), cfg), nil
	case formatConsole:
		// A user at a terminal knows which program runs, so the lines omit the service name.
		return slog.New(newConsole(out, level)), nil
	}
	return nil, fmt.Errorf("log format %q: must be json, text or console", cfg.LogFormat)
}

func withService(h slog.Handler, cfg Config) *slog.Logger {
	return slog.New(h).With("service", cfg.Service, "version", cfg.Version)
}
