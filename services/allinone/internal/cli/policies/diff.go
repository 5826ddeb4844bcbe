package policies

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// errDiffers makes the command exit with code 1 if --exit-code is set.
var errDiffers = errors.New("the policies differ")

func diffPolicy(ctx context.Context, c cli.Invocation) error {
	r := newPolicyCommand(c)
	var to, from string
	var text, code bool
	r.Flags.Argument(&to, "TO", "policy file, - for standard input, or the start of a version")
	r.Flags.Func("from", "file or version to compare with; default: the active version", cli.NonEmpty(&from))
	r.Flags.Bool(&text, "text", false, "show the text differences instead of the changes in meaning")
	r.Flags.Bool(&code, "exit-code", false, "exit with code 1 if the policies differ")
	return r.run(ctx, func() error {
		q := &routerv1.DiffRequest{}
		if err := errors.Join(r.readDiffSide(from, &q.From, &q.FromDocument), r.readDiffSide(to, &q.To, &q.ToDocument)); err != nil {
			return err
		}
		d, err := r.policies.Diff(ctx, q)
		if err != nil {
			return printPolicyProblems(r.Invocation, err, to)
		}
		if err := r.printDiff(d, text); err != nil {
			return err
		}
		if code && (len(d.GetChanges()) > 0 || text && d.GetUnified() != "") {
			return errDiffers
		}
		return nil
	})
}

var versionPrefix = regexp.MustCompile(`^[0-9a-f]{4,64}$`)

// readDiffSide uses name as a version if it looks like a version and no file has this name. Otherwise it reads the file.
func (r *policyCommand) readDiffSide(name string, version, document *string) error {
	if name == "" {
		return nil
	}
	if _, err := os.Stat(name); versionPrefix.MatchString(name) && errors.Is(err, fs.ErrNotExist) {
		*version = name
		return nil
	}
	text, err := readFile(r.Invocation, name)
	if err == nil && text == "" {
		err = fmt.Errorf("%s is empty", name)
	}
	*document = text
	return err
}

func (r *policyCommand) printDiff(d *routerv1.DiffResponse, text bool) error {
	if text && !r.JSON {
		_, err := fmt.Fprint(r.Out, d.GetUnified())
		return err
	}
	rows := [][]string{{fmt.Sprintf("%s in meaning from %s to %s", cli.CountNoun(int64(len(d.GetChanges())), "change"), shortVersion(d.GetFrom()), shortVersion(d.GetTo()))}}
	for _, c := range d.GetChanges() {
		rows = append(rows, []string{c.GetKind(), c.GetPath(), formatChange(c)})
	}
	return r.PrintResult(policyjson.EncodeMessage(d), rows...)
}

func formatChange(c *routerv1.Change) string {
	switch {
	case c.GetOld() == "":
		return truncate(c.GetNew())
	case c.GetNew() == "":
		return truncate(c.GetOld())
	}
	return truncate(c.GetOld()) + " -> " + truncate(c.GetNew())
}

// maxChangeLength is the maximum length of a value in bytes, so that a change fits on one
// line. JSON output contains the complete value.
const maxChangeLength = 100

func truncate(text string) string {
	if len(text) <= maxChangeLength {
		return text
	}
	text = text[:maxChangeLength]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + "..."
}
