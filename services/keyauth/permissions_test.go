package keyauth_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/services/keyauth"
)

func TestReadableSecretFilesAreLogged(t *testing.T) {
	cfg := keyauth.Config{Data: t.TempDir()}
	start := func() string {
		var log bytes.Buffer
		own := deps(rpc.NewMemory())
		own.Log = slog.New(slog.NewTextHandler(&log, nil))
		svc, err := keyauth.New(t.Context(), cfg, own)
		require.NoError(t, err)
		require.NoError(t, svc.Close())
		return log.String()
	}
	require.NotContains(t, start(), "secret file")
	for _, name := range []string{"pepper", "keyauth.db"} {
		path := filepath.Join(cfg.Data, name)
		require.NoError(t, os.Chmod(path, 0o644))
		logged := start()
		require.Contains(t, logged, "level=WARN")
		require.Contains(t, logged, "file="+path+" mode=-rw-r--r--")
		require.NoError(t, os.Chmod(path, 0o600))
	}
}
