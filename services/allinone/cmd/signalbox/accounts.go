package main

import (
	"context"
	"fmt"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// Views have the names of the dashboard's API.
type accountView struct {
	ID            string        `json:"id"`
	Name          string        `json:"name"`
	BaselineModel *string       `json:"baseline_model"`
	Capture       *string       `json:"capture"`
	ContentDays   int32         `json:"content_days"`
	CreatedAt     *string       `json:"created_at"`
	Operator      bool          `json:"operator"`
	Limits        allLimitsView `json:"limits"`
	Webhook       webhookView   `json:"webhook"`
}

type userView struct {
	ID        string  `json:"id"`
	Email     string  `json:"email"`
	Role      *string `json:"role"`
	CreatedAt *string `json:"created_at"`
}

// linkView is a link that works once.
type linkView struct {
	URL       string  `json:"url"`
	Token     string  `json:"token"`
	ExpiresAt *string `json:"expires_at"`
}

func viewAccount(a *keyauthv1.Account) accountView {
	return accountView{
		ID: a.GetId(), Name: a.GetName(), BaselineModel: orNull(a.GetBaselineModel()), Capture: orNull(word(a.GetCapture(), "CAPTURE_")),
		ContentDays: a.GetContentDays(), CreatedAt: stamp(a.GetCreatedAt()), Operator: a.GetOperator(),
		Limits: viewLimits(a.GetLimits()), Webhook: webhookView{orNull(a.GetWebhookUrl()), a.GetWebhookSigned()},
	}
}

func viewUser(u *keyauthv1.User) userView {
	return userView{ID: u.GetId(), Email: u.GetEmail(), Role: orNull(word(u.GetRole(), "ROLE_")), CreatedAt: stamp(u.GetCreatedAt())}
}

func listAccounts(ctx context.Context, c call) error {
	o := newOperator(c)
	return o.with(ctx, func() error {
		all := items[accountView]{Items: []accountView{}}
		rows := [][]string{{"ID", "NAME", "CREATED", ""}}
		err := o.walkAccounts(ctx, func(a *keyauthv1.Account) error {
			all.Items = append(all.Items, viewAccount(a))
			rows = append(rows, []string{a.GetId(), a.GetName(), moment(a.GetCreatedAt()), mark(a)})
			return nil
		})
		if err != nil {
			return err
		}
		return o.show(all, rows...)
	})
}

func mark(a *keyauthv1.Account) string {
	if a.GetOperator() {
		return "operator"
	}
	return ""
}

func showAccount(ctx context.Context, c call) error {
	o := newOperator(c)
	var ref string
	o.set.Argument(&ref, "ACCOUNT", "its id, the beginning of it, or its name")
	return o.with(ctx, func() error {
		a, err := o.findAccount(ctx, ref)
		if err != nil {
			return err
		}
		people, err := o.accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: as(a)})
		if err != nil {
			return err
		}
		view := struct {
			accountView
			Users []userView `json:"users"`
		}{viewAccount(a), []userView{}}
		rows := [][]string{
			{"Account", a.GetName(), mark(a)}, {"Id", a.GetId()}, {"Created", moment(a.GetCreatedAt())},
			{"Baseline", orDash(a.GetBaselineModel())}, {"Capture", orDash(word(a.GetCapture(), "CAPTURE_"))},
			{"Webhook", orDash(a.GetWebhookUrl())},
		}
		for _, u := range people.GetUsers() {
			view.Users = append(view.Users, viewUser(u))
			rows = append(rows, []string{"Person", u.GetEmail(), word(u.GetRole(), "ROLE_"), u.GetId()})
		}
		return o.show(view, rows...)
	})
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func resetPassword(ctx context.Context, c call) error {
	o := newOperator(c)
	var email string
	o.set.Argument(&email, "EMAIL", "whose password")
	o.asks()
	return o.with(ctx, func() error {
		if err := o.confirm(ctx, fmt.Sprintf("End the password and all sessions of %s?", email)); err != nil {
			return err
		}
		r, err := o.accounts.ResetPassword(ctx, &keyauthv1.ResetPasswordRequest{Email: email})
		if err != nil {
			return err
		}
		url := o.link("/password", r.GetToken())
		return o.show(linkView{url, r.GetToken(), stamp(r.GetExpiresAt())},
			[]string{"Link", url, "(works once, until " + moment(r.GetExpiresAt()) + ")"})
	})
}
