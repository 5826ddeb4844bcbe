package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/manifest"
)

// progressStep is after how many bytes a line tells how far it is.
const progressStep = 64 << 20

// export writes records to a file, and their checksums beside it.
func export(ctx context.Context, c call) error {
	b := newBooks(c)
	var format, out string
	var force bool
	b.set.OneOf(&format, "format", "csv", []string{"csv", "ndjson"}, "how rows are written")
	b.set.Func("out", "the file; its checksums go to FILE.manifest", given(&out))
	b.set.Bool(&force, "force", false, "replace files that are there already")
	b.which()
	return b.about(ctx, func() error {
		if out == "" {
			return errors.New("--out is missing: name the file")
		}
		if err := vacant(force, out, manifestOf(out)); err != nil {
			return err
		}
		s, err := b.download(ctx, manifest.Format(format), out)
		if err != nil {
			return err
		}
		return b.show(s, []string{"Rows", count(s.Rows)}, []string{"File", out}, []string{"Checksums", manifestOf(out)}, []string{"Up to", s.To}, []string{"Root", s.Root})
	})
}

func manifestOf(file string) string { return file + ".manifest" }

// download takes an export in. Both files appear under their names only when
// they are whole and what the dashboard has sent.
func (b *books) download(ctx context.Context, format manifest.Format, file string) (s manifest.Summary, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	q := b.query()
	q.Set("format", string(format))
	idle := time.AfterFunc(callLimit, func() { stop(fmt.Errorf("nothing came for %s", callLimit)) })
	defer idle.Stop()
	resp, err := b.send(ctx, http.MethodGet, "/requests/export?"+q.Encode(), "")
	if err != nil {
		return s, err
	}
	defer func() { _ = resp.Body.Close() }()
	to := resp.Header.Get("X-Signalbox-Export-To")
	q.Set("to", to)
	err = place(file, func(rows, sums io.Writer) error {
		until, err := time.Parse(time.RFC3339Nano, to)
		if err != nil {
			return fmt.Errorf("the dashboard's answer cannot be read: %w", err)
		}
		w := manifest.NewWriter(sums, manifest.Summary{Format: format, Query: q.Encode(), To: to, Open: time.Since(until) < manifest.Settling})
		if _, err := io.Copy(io.MultiWriter(rows, w, &progress{out: b.err}), &fed{resp.Body, idle}); err != nil {
			return fmt.Errorf("the export broke off: %w", errors.Join(err, context.Cause(ctx)))
		}
		if s, err = w.Close(); err != nil {
			return err
		}
		return sameAs(resp.Trailer, s)
	})
	return s, err
}

// sameAs holds what arrived against what was sent.
func sameAs(sent http.Header, s manifest.Summary) error {
	if sent.Get("X-Signalbox-Export-Rows") != strconv.FormatInt(s.Rows, 10) ||
		sent.Get("X-Signalbox-Export-Sha256") != s.SHA256 || sent.Get("X-Signalbox-Export-Root") != s.Root {
		return errors.New("what arrived is not what the dashboard has sent")
	}
	return nil
}

// vacant refuses names that are taken, unless they may be replaced.
func vacant(force bool, files ...string) error {
	for _, file := range files {
		if _, err := os.Lstat(file); err == nil && !force {
			return fmt.Errorf("%s is there already: name another one, or say --force", file)
		}
	}
	return nil
}

// place writes two files under other names, and gives them theirs at the end.
func place(file string, write func(rows, sums io.Writer) error) (err error) {
	names := []string{file, manifestOf(file)}
	var parts []*os.File
	defer func() {
		for _, f := range parts {
			err = errors.Join(err, ignore(f.Close()), ignore(os.Remove(f.Name())))
		}
	}()
	for _, name := range names {
		f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
		if err != nil {
			return err
		}
		parts = append(parts, f)
	}
	if err := write(parts[0], parts[1]); err != nil {
		return err
	}
	for _, f := range parts {
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return errors.Join(os.Rename(parts[0].Name(), names[0]), os.Rename(parts[1].Name(), names[1]))
}

// ignore is for what a success has done already.
func ignore(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// fed puts off a timer whenever something comes.
type fed struct {
	io.Reader
	idle *time.Timer
}

func (f *fed) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	f.idle.Reset(callLimit)
	return n, err
}

// progress tells a person how far it is.
type progress struct {
	out         io.Writer
	bytes, told int64
}

func (p *progress) Write(b []byte) (int, error) {
	if p.bytes += int64(len(b)); p.bytes-p.told >= progressStep {
		p.told = p.bytes
		_, _ = fmt.Fprintf(p.out, "%d MiB\n", p.bytes>>20)
	}
	return len(b), nil
}
