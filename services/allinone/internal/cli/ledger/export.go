package ledger

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
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// progressStep is the number of bytes between two progress lines.
const progressStep = 64 << 20

func exportRecords(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	var format, out string
	var force bool
	b.Flags.OneOf(&format, "format", "csv", []string{"csv", "ndjson"}, "file format")
	b.Flags.Func("out", "file to write; the checksums are written to a second file with the ending .manifest", cli.NonEmpty(&out))
	b.Flags.Bool(&force, "force", false, "replace existing files")
	b.addRecordFlags()
	return b.RunForAccount(ctx, func() error {
		if out == "" {
			return errors.New("--out is missing: set it to the file to write")
		}
		if err := rejectExisting(force, out, manifestPath(out)); err != nil {
			return err
		}
		s, err := b.download(ctx, manifest.Format(format), out)
		if err != nil {
			return err
		}
		return b.PrintResult(s, []string{"Rows", cli.FormatCount(s.Rows)}, []string{"File", out}, []string{"Checksums", manifestPath(out)}, []string{"Up to", s.To}, []string{"Root hash", s.Root})
	})
}

func manifestPath(file string) string { return file + ".manifest" }

// download receives an export and writes both files. The files get their final names
// only if they are complete and match the checksums that the dashboard sent.
func (b *ledgerCommand) download(ctx context.Context, format manifest.Format, file string) (s manifest.Summary, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	q := b.recordQuery()
	q.Set("format", string(format))
	idle := time.AfterFunc(remote.CallTimeout, func() { stop(fmt.Errorf("no data for %s", remote.CallTimeout)) })
	defer idle.Stop()
	resp, err := b.SendRequest(ctx, http.MethodGet, "/requests/export?"+q.Encode(), "")
	if err != nil {
		return s, err
	}
	defer func() { _ = resp.Body.Close() }()
	to := resp.Header.Get("X-Signalbox-Export-To")
	q.Set("to", to)
	err = writeExportFiles(file, func(rows, sums io.Writer) error {
		until, err := time.Parse(time.RFC3339Nano, to)
		if err != nil {
			return fmt.Errorf("decode the dashboard's response: %w", err)
		}
		w := manifest.NewWriter(sums, manifest.Summary{Format: format, Query: q.Encode(), To: to, MayGrow: time.Since(until) < manifest.SettlingTime})
		if _, err := io.Copy(io.MultiWriter(rows, w, &progressWriter{out: b.Err}), &idleReader{resp.Body, idle}); err != nil {
			return fmt.Errorf("the export was interrupted: %w", errors.Join(err, context.Cause(ctx)))
		}
		if s, err = w.Close(); err != nil {
			return err
		}
		return verifyTrailer(resp.Trailer, s)
	})
	return s, err
}

// verifyTrailer compares the received rows with the checksums in the response trailer.
func verifyTrailer(sent http.Header, s manifest.Summary) error {
	if sent.Get("X-Signalbox-Export-Rows") != strconv.FormatInt(s.Rows, 10) ||
		sent.Get("X-Signalbox-Export-Sha256") != s.SHA256 || sent.Get("X-Signalbox-Export-Root") != s.Root {
		return errors.New("the received data does not match the checksums of the dashboard; try again")
	}
	return nil
}

// rejectExisting returns an error if one of the files exists, unless force is set.
func rejectExisting(force bool, files ...string) error {
	for _, file := range files {
		if _, err := os.Lstat(file); err == nil && !force {
			return fmt.Errorf("%s already exists: choose another name, or add --force to replace it", file)
		}
	}
	return nil
}

// writeExportFiles writes the rows and the checksums to temporary files and renames both at the end.
func writeExportFiles(file string, write func(rows, sums io.Writer) error) (err error) {
	names := []string{file, manifestPath(file)}
	var parts []*os.File
	defer func() {
		for _, f := range parts {
			err = errors.Join(err, ignoreClosedOrMissing(f.Close()), ignoreClosedOrMissing(os.Remove(f.Name())))
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

// ignoreClosedOrMissing returns nil for errors of a file that is already closed or renamed.
func ignoreClosedOrMissing(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// idleReader resets the idle timer after every read.
type idleReader struct {
	io.Reader
	idle *time.Timer
}

func (f *idleReader) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	f.idle.Reset(remote.CallTimeout)
	return n, err
}

type progressWriter struct {
	out             io.Writer
	bytes, reported int64
}

func (p *progressWriter) Write(b []byte) (int, error) {
	if p.bytes += int64(len(b)); p.bytes-p.reported >= progressStep {
		p.reported = p.bytes
		_, _ = fmt.Fprintf(p.out, "%d MiB\n", p.bytes>>20)
	}
	return len(b), nil
}
