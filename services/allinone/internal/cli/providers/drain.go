package providers

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// drainCommand is a command that drains or resumes.
type drainCommand struct {
	*remote.Command
	provider, model, reason, author string
	// keyauth is the address of keyauth in a split deployment.
	keyauth string
}

func newDrainCommand(c cli.Invocation) *drainCommand {
	r := &drainCommand{Command: remote.NewRouterCommand(c), author: "operator"}
	r.Flags.Func("provider", "provider; without it, every provider of the model", cli.NonEmpty(&r.provider))
	r.Flags.Func("model", "model; without it, every model of the provider", cli.NonEmpty(&r.model))
	r.Flags.Func("reason", "reason to show to other operators", cli.NonEmpty(&r.reason))
	r.Flags.Func("author", "author to show; default: operator", cli.NonEmpty(&r.author))
	r.Flags.Func("keyauth", "HOST:PORT of keyauth, which keeps the audit log; needed only with --server", cli.NonEmpty(&r.keyauth))
	return r
}

func drain(ctx context.Context, c cli.Invocation) error {
	r := newDrainCommand(c)
	return r.run(ctx, false, func(client routerv1.RouterServiceClient) error {
		_, err := client.Drain(ctx, &routerv1.DrainRequest{Provider: r.provider, Model: r.model, Reason: r.reason, Author: r.author})
		return err
	})
}

func resume(ctx context.Context, c cli.Invocation) error {
	r := newDrainCommand(c)
	return r.run(ctx, true, func(client routerv1.RouterServiceClient) error {
		_, err := client.Resume(ctx, &routerv1.ResumeRequest{Provider: r.provider, Model: r.model, Reason: r.reason, Author: r.author})
		return err
	})
}

// run makes a change and adds it to the audit log. The change is made already then, so a
// failure of the audit log is only a warning.
func (r *drainCommand) run(ctx context.Context, resumed bool, change func(routerv1.RouterServiceClient) error) error {
	return r.RunWithRouter(ctx, func(conn grpc.ClientConnInterface) error {
		if err := change(routerv1.NewRouterServiceClient(conn)); err != nil {
			return err
		}
		if err := r.record(ctx, resumed); err != nil {
			_, _ = fmt.Fprintln(r.Err, "Warning: the audit log does not contain this change:", cli.Sanitize(err.Error()))
		}
		done := "Drained: "
		if resumed {
			done = "Resumed: "
		}
		return r.PrintResult(drained{cli.NullIfEmpty(r.provider), cli.NullIfEmpty(r.model), r.reason, r.author}, []string{done + targetName(r.provider, r.model)})
	})
}

func (r *drainCommand) record(ctx context.Context, resumed bool) error {
	if r.IsRemote() && r.keyauth == "" {
		return errors.New("set --keyauth to the HOST:PORT of keyauth")
	}
	return r.WithKeyauthAt(ctx, r.keyauth, func(k *remote.Command) error {
		operator, err := k.SelectedAccount(ctx)
		if err != nil {
			return err
		}
		_, err = k.Accounts.RecordDrain(ctx, &keyauthv1.RecordDrainRequest{
			Actor: remote.ActorFor(operator), Resumed: resumed, Provider: r.provider, Model: r.model, Reason: r.reason,
		})
		return err
	})
}
