package main

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func listPolicies(ctx context.Context, c call) error {
	r := newRules(c)
	var limit int64
	r.set.Int(&limit, "limit", 50, 1, 200, "how many at most, the newest")
	return r.with(ctx, func() error {
		list, err := r.policies.List(ctx, &routerv1.ListRequest{Limit: int32(limit)})
		if err != nil {
			return err
		}
		all := items[map[string]any]{Items: []map[string]any{}}
		rows := [][]string{{"VERSION", "CREATED", "IN FORCE", "ORIGIN", "AUTHOR", "NOTE"}}
		for _, v := range list.GetVersions() {
			all.Items = append(all.Items, policyjson.Listed(v))
			since := "last " + moment(v.GetActivatedAt())
			if v.GetActive() {
				since = "since " + moment(v.GetActivatedAt())
			}
			rows = append(rows, []string{short(v.GetVersion()), moment(v.GetCreatedAt()), since, v.GetOrigin(), v.GetAuthor(), v.GetNote()})
		}
		return r.show(all, rows...)
	})
}

// showPolicy prints a version's document, so that it can be edited and
// published.
func showPolicy(ctx context.Context, c call) error {
	r := newRules(c)
	var version string
	r.set.Optional(&version, "[VERSION]", "the beginning of its name; the one in force if not given")
	return r.with(ctx, func() error {
		got, err := r.policies.Get(ctx, &routerv1.GetRequest{Version: version})
		if err != nil {
			return err
		}
		if r.json {
			return r.show(policyjson.Message(got))
		}
		if _, err := fmt.Fprint(r.out, got.GetVersion().GetDocument()); err != nil {
			return err
		}
		if version != "" || got.GetFileFault() == "" {
			return nil
		}
		_, _ = fmt.Fprintln(r.err, "This is in force, and not what the file has now: "+printable(got.GetFileFault()))
		_ = r.faulty("file", toProblems(got.GetFileProblems()), "problems") // and yet it was shown
		return nil
	})
}

// told adds the flags of who changes what is in force, and why.
func (r *rules) told(author, note *string) {
	*author = "operator"
	r.set.Func("author", "who publishes, for the list of versions; operator if not given", given(author))
	r.set.Func("note", "why, for the list of versions", given(note))
}

func publishPolicy(ctx context.Context, c call) error {
	r := newRules(c)
	q := &routerv1.PublishRequest{}
	var file string
	r.set.Argument(&file, "FILE", "the policy, or - for what comes in")
	r.told(&q.Author, &q.Note)
	r.set.Func("over", "refuse if another version than this one is in force, by its whole name", given(&q.ExpectedVersion))
	return r.with(ctx, func() error {
		text, err := c.read(file)
		if err != nil {
			return err
		}
		q.Document = text
		checked, err := r.policies.Validate(ctx, &routerv1.ValidateRequest{Document: text})
		if err != nil {
			return err
		}
		if err := r.faulty(file, toProblems(checked.GetProblems()), "problems, nothing was published"); err != nil {
			return err
		}
		made, err := r.policies.Publish(ctx, q)
		if err != nil {
			return r.refusedFor(err, file)
		}
		return r.showActive(made.GetVersion())
	})
}

func rollbackPolicy(ctx context.Context, c call) error {
	r := newRules(c)
	q := &routerv1.RollbackRequest{}
	r.set.Argument(&q.Version, "VERSION", "the beginning of its name, as policy list has it")
	r.told(&q.Author, &q.Note)
	return r.with(ctx, func() error {
		back, err := r.policies.Rollback(ctx, q)
		if err != nil {
			return err
		}
		return r.showActive(back.GetVersion())
	})
}

func (r *rules) showActive(v *routerv1.PolicyVersion) error {
	return r.show(policyjson.Listed(v), []string{fmt.Sprintf("In force: %s, by %s", short(v.GetVersion()), v.GetOrigin())})
}
