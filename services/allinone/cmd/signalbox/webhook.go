package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// webhookView is where notices go; URL is null for nowhere.
type webhookView struct {
	URL    *string `json:"url"`
	Signed bool    `json:"signed"`
}

// nowhere is what to say for no webhook: an empty text may be a variable of a
// script that is not set.
const nowhere = "none"

func setWebhook(ctx context.Context, c call) error {
	o := newOperator(c)
	var url string
	o.set.Argument(&url, "URL", "an https address, or "+nowhere)
	o.inAccount("the operator's if not given")
	return o.with(ctx, func() error {
		switch url {
		case "":
			return errors.New("URL is empty: say " + nowhere + " for no webhook")
		case nowhere:
			url = ""
		}
		a, err := o.theAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.accounts.UpdateAccount(ctx, &keyauthv1.UpdateAccountRequest{
			Actor: as(a), Account: &keyauthv1.Account{WebhookUrl: url}, Mask: &fieldmaskpb.FieldMask{Paths: []string{"webhook_url"}},
		})
		if err != nil {
			return err
		}
		view := viewAccount(r.GetAccount())
		signed := "notices are not signed: see signalbox webhook secret"
		if view.Webhook.Signed {
			signed = "notices are signed"
		}
		return o.show(view, []string{"Account", full(r.GetAccount())}, []string{"Webhook", dash(view.Webhook.URL)}, []string{"", signed})
	})
}

func webhookSecret(ctx context.Context, c call) error {
	o := newOperator(c)
	o.inAccount("the operator's if not given")
	o.asks()
	return o.with(ctx, func() error {
		a, err := o.theAccount(ctx)
		if err != nil {
			return err
		}
		if a.GetWebhookSigned() {
			question := fmt.Sprintf("Replace the secret that notices of %s are signed with?", full(a))
			if err := o.confirm(ctx, question); err != nil {
				return err
			}
		}
		r, err := o.accounts.RotateWebhookSecret(ctx, &keyauthv1.RotateWebhookSecretRequest{Actor: as(a)})
		if err != nil {
			return err
		}
		return o.show(map[string]string{"secret": r.GetSecret()}, []string{"Secret", r.GetSecret(), "(shown only now)"})
	})
}

// testWebhook fails when the webhook did not take the notice, for scripts.
func testWebhook(ctx context.Context, c call) error {
	o := newOperator(c)
	o.inAccount("the operator's if not given")
	return o.with(ctx, func() error {
		a, err := o.theAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.accounts.TestWebhook(ctx, &keyauthv1.TestWebhookRequest{Actor: as(a)})
		if err != nil {
			return err
		}
		view := struct {
			Status *int32  `json:"status"`
			Error  *string `json:"error"`
		}{Error: orNull(r.GetError())}
		status := "-"
		if n := r.GetStatus(); n != 0 {
			view.Status, status = &n, strconv.Itoa(int(n))
		}
		if err := o.show(view, []string{"Webhook", a.GetWebhookUrl()}, []string{"Answered", status}); err != nil {
			return err
		}
		if r.GetError() != "" {
			return errors.New("the webhook was not told: " + printable(r.GetError()))
		}
		return nil
	})
}
