package remote

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTokenURL(t *testing.T) {
	data := t.TempDir()
	require.Equal(t, "http://127.0.0.1:8081/p?token=a%2Bb", (&Command{data: data}).TokenURL("/p", "a+b"))
	require.NoError(t, os.WriteFile(filepath.Join(data, "address"), []byte("http://127.0.0.1:9\n"), 0o600))
	require.Equal(t, "http://127.0.0.1:9/p?token=t", (&Command{data: data}).TokenURL("/p", "t"))
	require.Equal(t, "http://127.0.0.1:8081/p?token=t", (&Command{data: data, server: "h:1"}).TokenURL("/p", "t"))
	var o Command
	require.NoError(t, parseOrigin(&o.publicURL)("https://signalbox.example.com/"))
	require.Equal(t, "https://signalbox.example.com/p?token=t", o.TokenURL("/p", "t"))
}
