package policies

import (
	"context"
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/policyjson"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// changeCommand is a command that changes the active policy.
type changeCommand struct {
	*policyCommand
	author, note string
	// keyauth is the address of keyauth in a split deployment.
	keyauth string
}

func newChangeCommand(c cli.Invocation) *changeCommand {
	r := &changeCommand{policyCommand: newPolicyCommand(c), author: "operator"}
	r.Flags.Func("author", "author to show in the list of versions; default: operator", cli.NonEmpty(&r.author))
	r.Flags.Func("note", "note to show in the list of versions", cli.NonEmpty(&r.note))
	r.Flags.Func("keyauth", "HOST:PORT of keyauth, which keeps the audit log; needed only with --server", cli.NonEmpty(&r.keyauth))
	return r
}

func publishPolicy(ctx context.Context, c cli.Invocation) error {
	r := newChangeCommand(c)
	q := &routerv1.PublishRequest{}
	var file string
	r.Flags.Argument(&file, "FILE", "policy file; - reads standard input")
	r.Flags.Func("over", "publish only if this full version is active", cli.NonEmpty(&q.ExpectedVersion))
	return r.run(ctx, func() error {
		text, err := readFile(c, file)
		if err != nil {
			return err
		}
		q.Document, q.Author, q.Note = text, r.author, r.note
		checked, err := r.policies.Validate(ctx, &routerv1.ValidateRequest{Document: text})
		if err != nil {
			return err
		}
		problems := toProblems(checked.GetProblems())
		if err := printProblems(r.Invocation, file, problems, countProblems(problems)+", nothing was published"); err != nil {
			return err
		}
		made, err := r.policies.Publish(ctx, q)
		if err != nil {
			return printPolicyProblems(r.Invocation, err, file)
		}
		return r.finish(ctx, made.GetVersion(), false)
	})
}

func rollbackPolicy(ctx context.Context, c cli.Invocation) error {
	r := newChangeCommand(c)
	q := &routerv1.RollbackRequest{}
	r.Flags.Argument(&q.Version, "VERSION", "start of the version; see signalbox policy list")
	return r.run(ctx, func() error {
		q.Author, q.Note = r.author, r.note
		back, err := r.policies.Rollback(ctx, q)
		if err != nil {
			return err
		}
		return r.finish(ctx, back.GetVersion(), true)
	})
}

// finish adds the change to the audit log and prints the active version. The change is made
// already, so a failure of the audit log is only a warning.
func (r *changeCommand) finish(ctx context.Context, v *routerv1.PolicyVersion, isRollback bool) error {
	if err := r.recordChange(ctx, v.GetVersion(), isRollback); err != nil {
		_, _ = fmt.Fprintln(r.Err, "Warning: the audit log does not contain this change:", cli.Sanitize(err.Error()))
	}
	return r.PrintResult(policyjson.EncodeListedVersion(v), []string{fmt.Sprintf("Active policy: %s (origin: %s)", shortVersion(v.GetVersion()), v.GetOrigin())})
}

func (r *changeCommand) recordChange(ctx context.Context, version string, isRollback bool) error {
	if r.UsesToken() {
		return nil // the dashboard has recorded it
	}
	if r.IsRemote() && r.keyauth == "" {
		return errors.New("set --keyauth to the HOST:PORT of keyauth")
	}
	return r.WithKeyauthAt(ctx, r.keyauth, func(k *remote.Command) error {
		operator, err := k.SelectedAccount(ctx)
		if err != nil {
			return err
		}
		_, err = k.Accounts.RecordPolicyChange(ctx, &keyauthv1.RecordPolicyChangeRequest{
			Actor: remote.ActorFor(operator), Rollback: isRollback, Version: version, Note: r.note,
		})
		return err
	})
}
