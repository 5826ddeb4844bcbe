package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/manifest"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// errAltered means that an export does not match its checksums.
var errAltered = errors.New("the export has been changed")

// verifyExport compares a file with its checksums. It calls no service.
func verifyExport(_ context.Context, c cli.Invocation) error {
	var file, sums string
	set := config.New()
	set.FlagsOnly(true)
	set.Argument(&file, "FILE", "exported file")
	set.Func("manifest", "file with the checksums; default: FILE.manifest", cli.NonEmpty(&sums))
	if err := set.Load(c.Args, nil); err != nil {
		return err
	}
	if sums == "" {
		sums = manifestPath(file)
	}
	report, err := compareWithManifest(file, sums)
	if err != nil {
		return err
	}
	if report.Summary.MayGrow {
		_, _ = fmt.Fprintln(c.Err, "Note: requests before "+cli.Sanitize(report.Summary.To)+" may still have been running during this export. "+
			"Their rows may have arrived since. Export again for a final result.")
	}
	if report.OK() {
		_, err := fmt.Fprintf(c.Out, "OK %s, root %s\n", cli.CountNoun(report.Summary.Rows, "row"), report.Summary.Root)
		return err
	}
	return printReport(c, report)
}

func compareWithManifest(file, sums string) (*manifest.Report, error) {
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

// printReport lists the first rows of each kind of change. It returns an error with the totals.
func printReport(c cli.Invocation, r *manifest.Report) error {
	if r.HeaderAltered {
		_, _ = fmt.Fprintln(c.Out, "altered    the header")
	}
	for _, kind := range []struct {
		name  string
		found manifest.RowFindings
	}{{"altered", r.Altered}, {"missing", r.Missing}, {"added", r.Added}, {"reordered", r.Reordered}} {
		for _, p := range kind.found.First {
			_, _ = fmt.Fprintf(c.Out, "%-10s row %d  %s\n", kind.name, p.Row, cli.Sanitize(p.ID))
		}
		if more := kind.found.Count - len(kind.found.First); more > 0 {
			_, _ = fmt.Fprintf(c.Out, "%-10s and %d more\n", kind.name, more)
		}
	}
	return fmt.Errorf("%w: %s altered, %d missing, %d added, %d reordered", errAltered,
		cli.CountNoun(int64(r.Altered.Count), "row"), r.Missing.Count, r.Added.Count, r.Reordered.Count)
}
