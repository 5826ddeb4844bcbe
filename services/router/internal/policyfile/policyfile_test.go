package policyfile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
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
		var reads atomic.Int64
		disk := make(chan struct{})
		r := &Reader{read: func(string) ([]byte, error) {
			reads.Add(1)
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
		require.EqualValues(t, 1, reads.Load())
		close(disk)
		document, err := bounded()
		require.NoError(t, err)
		require.Equal(t, "late", string(document))
		_, err = bounded()
		require.NoError(t, err)
		require.EqualValues(t, 2, reads.Load())
	})
}
