package main

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
)

// errDiffers is for scripts that ask for it.
var errDiffers = errors.New("they differ")

// diffPolicy tells what a file or a version would change.
func diffPolicy(ctx context.Context, c call) error {
	r := newRules(c)
	var to, from string
	var text, code bool
	r.set.Argument(&to, "TO", "a file, - for what comes in, or the beginning of a version's name")
	r.set.Func("from", "what it is compared with, said likewise; the version in force if not given", given(&from))
	r.set.Bool(&text, "text", false, "show how the texts differ, not what it means")
	r.set.Bool(&code, "exit-code", false, "exit with 1 if they differ")
	return r.with(ctx, func() error {
		q := &routerv1.DiffRequest{}
		if err := errors.Join(r.side(from, &q.From, &q.FromDocument), r.side(to, &q.To, &q.ToDocument)); err != nil {
			return err
		}
		d, err := r.policies.Diff(ctx, q)
		if err != nil {
			return r.refusedFor(err, to)
		}
		if err := r.showDiff(d, text); err != nil {
			return err
		}
		if code && (len(d.GetChanges()) > 0 || text && d.GetUnified() != "") {
			return errDiffers
		}
		return nil
	})
}

var beginning = regexp.MustCompile(`^[0-9a-f]{4,64}$`)

// side is a file if there is one of that name, or what cannot be a version.
func (r *rules) side(name string, version, document *string) error {
	if name == "" {
		return nil
	}
	if _, err := os.Stat(name); beginning.MatchString(name) && errors.Is(err, fs.ErrNotExist) {
		*version = name
		return nil
	}
	text, err := r.read(name)
	if err == nil && text == "" {
		err = fmt.Errorf("%s is empty", name)
	}
	*document = text
	return err
}

func (r *rules) showDiff(d *routerv1.DiffResponse, text bool) error {
	if text && !r.json {
		_, err := fmt.Fprint(r.out, d.GetUnified())
		return err
	}
	rows := [][]string{{fmt.Sprintf("%d changes of meaning from %s to %s", len(d.GetChanges()), short(d.GetFrom()), short(d.GetTo()))}}
	for _, c := range d.GetChanges() {
		rows = append(rows, []string{c.GetKind(), c.GetPath(), became(c)})
	}
	return r.show(policyjson.Message(d), rows...)
}

func became(c *routerv1.Change) string {
	switch {
	case c.GetOld() == "":
		return cut(c.GetNew())
	case c.GetNew() == "":
		return cut(c.GetOld())
	}
	return cut(c.GetOld()) + " -> " + cut(c.GetNew())
}

// maxShown keeps a change in a line; JSON has all of it.
const maxShown = 100

func cut(text string) string {
	if len(text) <= maxShown {
		return text
	}
	text = text[:maxShown]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + "..."
}
