package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// webhookView is the webhook of an account. URL is null if there is none.
type webhookView struct {
	URL    *string `json:"url"`
	Signed bool    `json:"signed"`
}

// noWebhook is the argument that removes the webhook. An empty argument does not remove
// it, because the argument may come from an unset variable in a script.
const noWebhook = "none"

func setWebhook(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	var url string
	o.set.Argument(&url, "URL", "https URL, or "+noWebhook+" to remove the webhook")
	o.addAccountFlag("default: the operator's account")
	return o.runWithService(ctx, func() error {
		switch url {
		case "":
			return errors.New("URL is empty: use " + noWebhook + " to remove the webhook")
		case noWebhook:
			url = ""
		}
		a, err := o.selectedAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.accounts.UpdateAccount(ctx, &keyauthv1.UpdateAccountRequest{
			Actor: actorFor(a), Account: &keyauthv1.Account{WebhookUrl: url}, Mask: &fieldmaskpb.FieldMask{Paths: []string{"webhook_url"}},
		})
		if err != nil {
			return err
		}
		view := toAccountView(r.GetAccount())
		signed := "notices are not signed; to sign them, run signalbox webhook secret"
		if view.Webhook.Signed {
			signed = "notices are signed"
		}
		return o.printResult(view, []string{"Account", accountLabel(r.GetAccount())}, []string{"Webhook", dashIfNil(view.Webhook.URL)}, []string{"", signed})
	})
}

func rotateWebhookSecret(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	o.addAccountFlag("default: the operator's account")
	o.addYesFlag()
	return o.runWithService(ctx, func() error {
		a, err := o.selectedAccount(ctx)
		if err != nil {
			return err
		}
		if a.GetWebhookSigned() {
			question := fmt.Sprintf("Replace the signing secret for notices of %s?", accountLabel(a))
			if err := o.confirm(ctx, question); err != nil {
				return err
			}
		}
		r, err := o.accounts.RotateWebhookSecret(ctx, &keyauthv1.RotateWebhookSecretRequest{Actor: actorFor(a)})
		if err != nil {
			return err
		}
		return o.printResult(map[string]string{"secret": r.GetSecret()}, []string{"Secret", r.GetSecret(), "(shown only once)"})
	})
}

// testWebhook sends a test notice. It returns an error if the webhook does not accept the
// notice, so that scripts can detect this.
func testWebhook(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	o.addAccountFlag("default: the operator's account")
	return o.runWithService(ctx, func() error {
		a, err := o.selectedAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.accounts.TestWebhook(ctx, &keyauthv1.TestWebhookRequest{Actor: actorFor(a)})
		if err != nil {
			return err
		}
		view := struct {
			Status *int32  `json:"status"`
			Error  *string `json:"error"`
		}{Error: nullIfEmpty(r.GetError())}
		status := "-"
		if n := r.GetStatus(); n != 0 {
			view.Status, status = &n, strconv.Itoa(int(n))
		}
		if err := o.printResult(view, []string{"Webhook", a.GetWebhookUrl()}, []string{"Status", status}); err != nil {
			return err
		}
		if r.GetError() != "" {
			return errors.New("the webhook did not accept the test notice: " + sanitize(r.GetError()))
		}
		return nil
	})
}
