package policyfile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
)

func TestOnlyRegularFilesOfALimitedSizeAreRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("file"), []byte("version: 1\n"), 0o600))
	require.NoError(t, os.WriteFile(at("full"), []byte(strings.Repeat("#", policy.MaxDocument)), 0o600))
	require.NoError(t, os.WriteFile(at("large"), []byte(strings.Repeat("#", policy.MaxDocument+1)), 0o600))
	require.NoError(t, syscall.Mkfifo(at("fifo"), 0o600))
	for link, to := range map[string]string{"link": "file", "endless": "/dev/zero", "empty": "/dev/null", "to-fifo": "fifo"} {
		require.NoError(t, os.Symlink(to, at(link)))
	}
	for name, want := range map[string]error{
		"file": nil, "link": nil, "full": nil, "large": ErrTooLarge,
		"fifo": ErrNotRegular, "to-fifo": ErrNotRegular, "endless": ErrNotRegular, "empty": ErrNotRegular, ".": ErrNotRegular,
		"absent": os.ErrNotExist,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			document, err := New(at(name)).Read(ctx)
			require.ErrorIs(t, err, want)
			require.Equal(t, want == nil, document != nil)
		})
	}
}

func TestAHangingDiskDelaysNoCallerAndHoldsOneRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, disk := 0, make(chan struct{})
		r := &Reader{read: func(string) ([]byte, error) {
			reads++
			<-disk
			return []byte("late"), nil
		}}
		bounded := func() ([]byte, error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return r.Read(ctx)
		}
		for range 3 {
			_, err := bounded()
			require.ErrorIs(t, err, ErrSlow)
		}
		require.Equal(t, 1, reads)
		close(disk)
		document, err := bounded()
		require.NoError(t, err)
		require.Equal(t, "late", string(document))
		_, err = bounded()
		require.NoError(t, err)
		require.Equal(t, 2, reads)
	})
}
