package access

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// webhookView is the webhook of an account. URL is null if there is none.
type webhookView struct {
	URL    *string `json:"url"`
	Signed bool    `json:"signed"`
}

// noWebhook is the argument that removes the webhook. An empty argument does not remove
// it, because the argument may come from an unset variable in a script.
const noWebhook = "none"

func setWebhook(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var url string
	o.Flags.Argument(&url, "URL", "https URL, or "+noWebhook+" to remove the webhook")
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithKeyauth(ctx, func() error {
		switch url {
		case "":
			return errors.New("URL is empty: use " + noWebhook + " to remove the webhook")
		case noWebhook:
			url = ""
		}
		a, err := o.SelectedAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.Accounts.UpdateAccount(ctx, &keyauthv1.UpdateAccountRequest{
			Actor: remote.ActorFor(a), Account: &keyauthv1.Account{WebhookUrl: url}, Mask: &fieldmaskpb.FieldMask{Paths: []string{"webhook_url"}},
		})
		if err != nil {
			return err
		}
		view := toAccountView(r.GetAccount())
		signed := "notices are not signed; to sign them, run signalbox webhook secret"
		if view.Webhook.Signed {
			signed = "notices are signed"
		}
		return o.PrintResult(view, []string{"Account", remote.AccountLabel(r.GetAccount())}, []string{"Webhook", cli.DashIfNil(view.Webhook.URL)}, []string{"", signed})
	})
}

func rotateWebhookSecret(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	o.AddAccountFlag("default: the operator's account")
	o.AddYesFlag()
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		if a.GetWebhookSigned() {
			question := fmt.Sprintf("Replace the signing secret for notices of %s?", remote.AccountLabel(a))
			if err := o.Confirm(ctx, question); err != nil {
				return err
			}
		}
		r, err := o.Accounts.RotateWebhookSecret(ctx, &keyauthv1.RotateWebhookSecretRequest{Actor: remote.ActorFor(a)})
		if err != nil {
			return err
		}
		return o.PrintResult(map[string]string{"secret": r.GetSecret()}, []string{"Secret", r.GetSecret(), "(shown only once)"})
	})
}

// testWebhook sends a test notice. It returns an error if the webhook does not accept the
// notice, so that scripts can detect this.
func testWebhook(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		r, err := o.Accounts.TestWebhook(ctx, &keyauthv1.TestWebhookRequest{Actor: remote.ActorFor(a)})
		if err != nil {
			return err
		}
		view := struct {
			Status *int32  `json:"status"`
			Error  *string `json:"error"`
		}{Error: cli.NullIfEmpty(r.GetError())}
		status := "-"
		if n := r.GetStatus(); n != 0 {
			view.Status, status = &n, strconv.Itoa(int(n))
		}
		if err := o.PrintResult(view, []string{"Webhook", a.GetWebhookUrl()}, []string{"Status", status}); err != nil {
			return err
		}
		if r.GetError() != "" {
			return errors.New("the webhook did not accept the test notice: " + cli.Sanitize(r.GetError()))
		}
		return nil
	})
}
