package main

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
)

// backup writes an archive of the data directory, beside a running signalbox
// or of one that is stopped.
func backup(ctx context.Context, c call) error {
	var data, out string
	set := config.New()
	set.String(&data, "data", "./data", "directory of all state")
	set.FlagsOnly(true)
	set.String(&out, "out", "signalbox-"+time.Now().UTC().Format("20060102T150405Z")+".tar.gz", "file to write; - is standard output")
	if err := set.Load(c.args, c.environ); err != nil {
		return err
	}
	if out == "-" {
		return allinone.Backup(ctx, data, version, c.out, c.err)
	}
	if err := whole(out, func(w io.Writer) error { return allinone.Backup(ctx, data, version, w, c.err) }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "%s holds everything, secrets included: keep it as you keep those.\n", out)
	return err
}

// restore makes a data directory out of an archive.
func restore(_ context.Context, c call) error {
	var data, file string
	set := config.New()
	set.String(&data, "data", "./data", "directory of all state; there must be none yet, or an empty one")
	set.Argument(&file, "FILE", "what backup wrote; - is standard input")
	if err := set.Load(c.args, c.environ); err != nil {
		return err
	}
	from := io.NopCloser(c.in)
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
	_, err := fmt.Fprintf(c.out, "%s is ready: signalbox --data %s\n", data, data)
	return err
}

// whole writes a file that appears only when it is complete, and never over
// another one.
func whole(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already", path)
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
