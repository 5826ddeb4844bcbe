package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy"
)

// The dashboard stores at most 256 KiB of a request and of a response, so a proxy does not
// accept a setting that promises more.
func TestCaptureIsLimitedToWhatIsStored(t *testing.T) {
	_, err := proxy.LoadConfig([]string{"--capture-bytes", "262145"}, nil)
	require.ErrorContains(t, err, "capture-bytes")
	c, err := proxy.LoadConfig([]string{"--capture-bytes", "262144"}, nil)
	require.NoError(t, err)
	require.EqualValues(t, 256<<10, c.CaptureBytes)
}
