package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
)

func TestFormatDurationLeavesOutZeros(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 3 * time.Second: "3s", 10 * time.Minute: "10m", 24 * time.Hour: "24h", 90 * time.Minute: "1h30m",
		time.Hour + 5*time.Second: "1h0m5s", 20 * time.Second: "20s", 250 * time.Millisecond: "250ms",
	} {
		require.Equal(t, want, config.FormatDuration(d))
	}
}
