package maintenance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// writeBackup writes an archive of the data directory. A running signalbox may
// use the directory at the same time.
func writeBackup(ctx context.Context, c cli.Invocation) error {
	var data, out string
	set := config.New()
	set.String(&data, "data", "./data", "directory that holds all state")
	set.FlagsOnly(true)
	set.String(&out, "out", "signalbox-"+time.Now().UTC().Format("20060102T150405Z")+".tar.gz", "file to write; - writes to standard output")
	if err := set.Load(c.Args, c.Environ); err != nil {
		return err
	}
	if out == "-" {
		return allinone.Backup(ctx, data, c.Version, c.Out, c.Err)
	}
	if err := writeNewFile(out, func(w io.Writer) error { return allinone.Backup(ctx, data, c.Version, w, c.Err) }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "Backup written to %s. It contains secrets: store it in a safe location.\n", out)
	return err
}

func restoreBackup(_ context.Context, c cli.Invocation) error {
	var data, file string
	set := config.New()
	set.String(&data, "data", "./data", "directory to create; it must not exist or must be empty")
	set.Argument(&file, "FILE", "archive that signalbox backup wrote; - reads standard input")
	if err := set.Load(c.Args, c.Environ); err != nil {
		return err
	}
	from := io.NopCloser(c.In)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		from = f
	}
	if err := errors.Join(allinone.Restore(from, data), from.Close()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "Restored to %s. Start it with: signalbox --data %s\n", data, data)
	return err
}

// writeNewFile writes a file that appears only when it is complete. It does not
// replace an existing file.
func writeNewFile(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s already exists: choose another name with --out", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := errors.Join(write(f), f.Sync()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}
