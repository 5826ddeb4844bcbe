package access

import (
	"cmp"
	"context"
	"fmt"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// accountView is an account as JSON, in the format of the dashboard's API. The
// other view types use the same format.
type accountView struct {
	ID               string        `json:"id"`
	Name             string        `json:"name"`
	BaselineModel    *string       `json:"baseline_model"`
	Capture          *string       `json:"capture"`
	ContentDays      int32         `json:"content_days"`
	CreatedAt        *string       `json:"created_at"`
	Operator         bool          `json:"operator"`
	Limits           allLimitsView `json:"limits"`
	Webhook          webhookView   `json:"webhook"`
	AllowExperiments bool          `json:"allow_experiments"`
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
		ID: a.GetId(), Name: a.GetName(), BaselineModel: cli.NullIfEmpty(a.GetBaselineModel()), Capture: cli.NullIfEmpty(remote.EnumWord(a.GetCapture(), "CAPTURE_")),
		ContentDays: a.GetContentDays(), CreatedAt: remote.FormatJSONTime(a.GetCreatedAt()), Operator: a.GetOperator(),
		Limits: toLimitsView(a.GetLimits()), Webhook: webhookView{cli.NullIfEmpty(a.GetWebhookUrl()), a.GetWebhookSigned()},
		AllowExperiments: a.GetAllowExperiments(),
	}
}

func toUserView(u *keyauthv1.User) userView {
	return userView{ID: u.GetId(), Email: u.GetEmail(), Role: cli.NullIfEmpty(remote.EnumWord(u.GetRole(), "ROLE_")), CreatedAt: remote.FormatJSONTime(u.GetCreatedAt())}
}

func listAccounts(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	return o.RunWithKeyauth(ctx, func() error {
		all := cli.List[accountView]{Items: []accountView{}}
		rows := [][]string{{"ID", "NAME", "CREATED", ""}}
		for a, err := range o.AllAccounts(ctx) {
			if err != nil {
				return err
			}
			all.Items = append(all.Items, toAccountView(a))
			rows = append(rows, []string{a.GetId(), a.GetName(), remote.FormatTableTime(a.GetCreatedAt()), operatorMark(a)})
		}
		return o.PrintResult(all, rows...)
	})
}

func operatorMark(a *keyauthv1.Account) string {
	if a.GetOperator() {
		return "operator"
	}
	return ""
}

func showAccount(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var ref string
	o.Flags.Argument(&ref, "ACCOUNT", "account id, start of the id, or name")
	return o.RunWithKeyauth(ctx, func() error {
		a, err := o.FindAccount(ctx, ref)
		if err != nil {
			return err
		}
		users, err := o.Accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: remote.ActorFor(a)})
		if err != nil {
			return err
		}
		view := struct {
			accountView
			Users []userView `json:"users"`
		}{toAccountView(a), []userView{}}
		rows := [][]string{
			{"Account", a.GetName(), operatorMark(a)}, {"ID", a.GetId()}, {"Created", remote.FormatTableTime(a.GetCreatedAt())},
			{"Baseline", cmp.Or(a.GetBaselineModel(), "-")}, {"Capture", cmp.Or(remote.EnumWord(a.GetCapture(), "CAPTURE_"), "-")},
			{"Webhook", cmp.Or(a.GetWebhookUrl(), "-")},
		}
		for _, u := range users.GetUsers() {
			view.Users = append(view.Users, toUserView(u))
			rows = append(rows, []string{"User", u.GetEmail(), remote.EnumWord(u.GetRole(), "ROLE_"), u.GetId()})
		}
		return o.PrintResult(view, rows...)
	})
}

func resetPassword(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var email string
	o.Flags.Argument(&email, "EMAIL", "the user's e-mail address")
	o.AddYesFlag()
	return o.RunWithKeyauth(ctx, func() error {
		if err := o.Confirm(ctx, fmt.Sprintf("Remove the password of %s and end all sessions?", email)); err != nil {
			return err
		}
		r, err := o.Accounts.ResetPassword(ctx, &keyauthv1.ResetPasswordRequest{Email: email})
		if err != nil {
			return err
		}
		url := o.TokenURL("/password", r.GetToken())
		return o.PrintResult(linkView{url, r.GetToken(), remote.FormatJSONTime(r.GetExpiresAt())},
			[]string{"Link", url, "(works once, until " + remote.FormatTableTime(r.GetExpiresAt()) + ")"})
	})
}
