package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy"
)

func TestSpansWithContentAreLarge(t *testing.T) {
	for arg, want := range map[string]bool{"--trace-content=true": true, "--trace-content=false": false} {
		c, err := proxy.LoadConfig([]string{arg}, nil)
		require.NoError(t, err)
		require.Equal(t, want, c.Process.Telemetry.HasLargeSpans, arg)
	}
}
