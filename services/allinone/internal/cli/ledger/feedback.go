package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/pkg/feedback"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

const (
	// importBatch is the number of items of one call. It keeps the body of the longest
	// reasons below the limit of the dashboard.
	importBatch = 500
	// importProgress is the number of items between two progress lines.
	importProgress = 10_000
	// maxLineErrors is how many invalid lines are shown.
	maxLineErrors = 20
)

// importFeedback sends the feedback in a file to the dashboard. It reads the file twice: an
// invalid line stops the import before anything is stored.
func importFeedback(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	var file, format string
	var skip bool
	b.Flags.Argument(&file, "FILE", "file with the feedback; CSV files need a header")
	b.Flags.OneOf(&format, "format", "auto", []string{"auto", "csv", "ndjson"}, "file format; auto uses the ending of the name")
	b.Flags.Bool(&skip, "skip-invalid", false, "import the valid lines, even if others are invalid")
	b.AddAccountFlag("default: the operator's account")
	return b.RunForAccount(ctx, func() error {
		if format == "auto" {
			format = strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))
		}
		report, err := checkFeedback(file, format)
		if err != nil {
			return err
		}
		for _, line := range report.problems {
			_, _ = fmt.Fprintln(b.Err, cli.Sanitize(line))
		}
		if report.invalid > 0 && !skip {
			return fmt.Errorf("%s of %s invalid, nothing was imported: correct the lines, or use --skip-invalid",
				cli.FormatCount(report.invalid), cli.CountNoun(report.invalid+report.valid, "line"))
		}
		if report.valid == 0 {
			return errors.New("the file contains no valid feedback")
		}
		if err := b.sendFeedback(ctx, file, format, report.valid); err != nil {
			return err
		}
		return b.PrintResult(map[string]int64{"imported": report.valid, "skipped": report.invalid},
			[]string{"Imported", cli.FormatCount(report.valid)}, []string{"Skipped", cli.FormatCount(report.invalid)})
	})
}

// feedbackReport counts the lines of a file. problems describes the first invalid ones.
type feedbackReport struct {
	valid, invalid int64
	problems       []string
}

func checkFeedback(file, format string) (r feedbackReport, err error) {
	err = eachFeedback(file, format, func(line int, f feedback.Fields, err error) error {
		if err == nil {
			_, err = f.Check(feedback.DefaultSource)
		}
		if err == nil {
			r.valid++
			return nil
		}
		if r.invalid++; r.invalid <= maxLineErrors {
			r.problems = append(r.problems, fmt.Sprintf("line %d: %v", line, err))
		}
		return nil
	})
	if more := r.invalid - maxLineErrors; more > 0 {
		r.problems = append(r.problems, "and "+cli.CountNoun(more, "more invalid line"))
	}
	return r, err
}

// sendFeedback sends the valid lines in batches and reports the progress.
func (b *ledgerCommand) sendFeedback(ctx context.Context, file, format string, total int64) error {
	var batch []feedback.Fields
	var sent int64
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := b.postFeedback(ctx, batch); err != nil {
			return fmt.Errorf("imported %s of %d; import the file again to continue, items are never counted twice: %w", cli.FormatCount(sent), total, err)
		}
		if before := sent; (before+int64(len(batch)))/importProgress > before/importProgress {
			_, _ = fmt.Fprintf(b.Err, "%s of %s imported\n", cli.FormatCount(before+int64(len(batch))), cli.FormatCount(total))
		}
		sent, batch = sent+int64(len(batch)), batch[:0]
		return nil
	}
	err := eachFeedback(file, format, func(_ int, f feedback.Fields, err error) error {
		if err != nil {
			return nil //nolint:nilerr // checkFeedback has reported the line
		}
		if _, err := f.Check(feedback.DefaultSource); err != nil {
			return nil //nolint:nilerr // as above
		}
		if batch = append(batch, f); len(batch) < importBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

func (b *ledgerCommand) postFeedback(ctx context.Context, batch []feedback.Fields) error {
	body, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, remote.CallTimeout)
	defer cancel()
	var accepted struct {
		Accepted int `json:"accepted"`
	}
	return b.CallJSON(ctx, http.MethodPost, "/feedback", string(body), &accepted)
}
