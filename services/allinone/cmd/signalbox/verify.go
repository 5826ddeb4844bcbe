package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/manifest"
)

// errAltered is what a script sees by the exit code.
var errAltered = errors.New("the export is not what it was")

// verifyExport holds a file against its checksums. It asks no service.
func verifyExport(_ context.Context, c call) error {
	var file, sums string
	set := config.New()
	set.FlagsOnly(true)
	set.Argument(&file, "FILE", "the export")
	set.Func("manifest", "its checksums; FILE.manifest if not given", given(&sums))
	if err := set.Load(c.args, nil); err != nil {
		return err
	}
	if sums == "" {
		sums = manifestOf(file)
	}
	report, err := compare(file, sums)
	if err != nil {
		return err
	}
	if report.Summary.Open {
		_, _ = fmt.Fprintln(c.err, "The manifest was made when requests before "+printable(report.Summary.To)+
			" may still have been running: their rows may have arrived since. One that is made later is final.")
	}
	if report.OK() {
		_, err := fmt.Fprintf(c.out, "OK %d rows, root %s\n", report.Summary.Rows, report.Summary.Root)
		return err
	}
	return tell(c, report)
}

func compare(file, sums string) (*manifest.Report, error) {
	rows, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	list, err := os.Open(sums)
	if err != nil {
		return nil, err
	}
	defer func() { _ = list.Close() }()
	return manifest.Verify(rows, list)
}

// tell names the first rows of each kind.
func tell(c call, r *manifest.Report) error {
	if r.Header {
		_, _ = fmt.Fprintln(c.out, "altered    the header")
	}
	for _, kind := range []struct {
		name  string
		found manifest.Found
	}{{"altered", r.Altered}, {"missing", r.Missing}, {"added", r.Added}, {"reordered", r.Reordered}} {
		for _, p := range kind.found.First {
			_, _ = fmt.Fprintf(c.out, "%-10s row %d  %s\n", kind.name, p.Row, printable(p.ID))
		}
		if more := kind.found.Count - len(kind.found.First); more > 0 {
			_, _ = fmt.Fprintf(c.out, "%-10s and %d more\n", kind.name, more)
		}
	}
	return fmt.Errorf("%w: %d rows altered, %d missing, %d added, %d reordered", errAltered,
		r.Altered.Count, r.Missing.Count, r.Added.Count, r.Reordered.Count)
}
