package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command must not ask questions when standard input is the null device.
func TestNullDeviceIsNotInteractive(t *testing.T) {
	for name, want := range map[string]bool{os.DevNull: false, "/dev/ptmx": true, t.TempDir(): false} {
		f, err := os.Open(name)
		require.NoError(t, err)
		require.Equal(t, want, IsInteractive(f), name)
		require.NoError(t, f.Close())
	}
}
