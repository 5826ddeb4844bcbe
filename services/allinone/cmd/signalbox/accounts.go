package main

import (
	"context"
	"fmt"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// accountView is an account as JSON, in the format of the dashboard's API. The
// other view types use the same format.
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

type linkView struct {
	URL       string  `json:"url"`
	Token     string  `json:"token"`
	ExpiresAt *string `json:"expires_at"`
}

func toAccountView(a *keyauthv1.Account) accountView {
	return accountView{
		ID: a.GetId(), Name: a.GetName(), BaselineModel: nullIfEmpty(a.GetBaselineModel()), Capture: nullIfEmpty(enumWord(a.GetCapture(), "CAPTURE_")),
		ContentDays: a.GetContentDays(), CreatedAt: formatJSONTime(a.GetCreatedAt()), Operator: a.GetOperator(),
		Limits: toLimitsView(a.GetLimits()), Webhook: webhookView{nullIfEmpty(a.GetWebhookUrl()), a.GetWebhookSigned()},
	}
}

func toUserView(u *keyauthv1.User) userView {
	return userView{ID: u.GetId(), Email: u.GetEmail(), Role: nullIfEmpty(enumWord(u.GetRole(), "ROLE_")), CreatedAt: formatJSONTime(u.GetCreatedAt())}
}

func listAccounts(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	return o.runWithService(ctx, func() error {
		all := items[accountView]{Items: []accountView{}}
		rows := [][]string{{"ID", "NAME", "CREATED", ""}}
		err := o.forEachAccount(ctx, func(a *keyauthv1.Account) error {
			all.Items = append(all.Items, toAccountView(a))
			rows = append(rows, []string{a.GetId(), a.GetName(), formatTableTime(a.GetCreatedAt()), operatorMark(a)})
			return nil
		})
		if err != nil {
			return err
		}
		return o.printResult(all, rows...)
	})
}

func operatorMark(a *keyauthv1.Account) string {
	if a.GetOperator() {
		return "operator"
	}
	return ""
}

func showAccount(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	var ref string
	o.set.Argument(&ref, "ACCOUNT", "account id, start of the id, or name")
	return o.runWithService(ctx, func() error {
		a, err := o.findAccount(ctx, ref)
		if err != nil {
			return err
		}
		users, err := o.accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: actorFor(a)})
		if err != nil {
			return err
		}
		view := struct {
			accountView
			Users []userView `json:"users"`
		}{toAccountView(a), []userView{}}
		rows := [][]string{
			{"Account", a.GetName(), operatorMark(a)}, {"ID", a.GetId()}, {"Created", formatTableTime(a.GetCreatedAt())},
			{"Baseline", dashIfEmpty(a.GetBaselineModel())}, {"Capture", dashIfEmpty(enumWord(a.GetCapture(), "CAPTURE_"))},
			{"Webhook", dashIfEmpty(a.GetWebhookUrl())},
		}
		for _, u := range users.GetUsers() {
			view.Users = append(view.Users, toUserView(u))
			rows = append(rows, []string{"User", u.GetEmail(), enumWord(u.GetRole(), "ROLE_"), u.GetId()})
		}
		return o.printResult(view, rows...)
	})
}

func dashIfEmpty(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func resetPassword(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	var email string
	o.set.Argument(&email, "EMAIL", "the user's e-mail address")
	o.addYesFlag()
	return o.runWithService(ctx, func() error {
		if err := o.confirm(ctx, fmt.Sprintf("Remove the password of %s and end all sessions?", email)); err != nil {
			return err
		}
		r, err := o.accounts.ResetPassword(ctx, &keyauthv1.ResetPasswordRequest{Email: email})
		if err != nil {
			return err
		}
		url := o.tokenURL("/password", r.GetToken())
		return o.printResult(linkView{url, r.GetToken(), formatJSONTime(r.GetExpiresAt())},
			[]string{"Link", url, "(works once, until " + formatTableTime(r.GetExpiresAt()) + ")"})
	})
}
