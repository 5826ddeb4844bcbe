package access

import (
	"context"
	"errors"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// bootstrapView holds the claim link and the first key. Key is empty if the account already existed.
type bootstrapView struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	Key   string `json:"key,omitempty"`
}

// bootstrap creates the operator account of a split deployment. It prints a link with
// which the operator creates the first login, and a first key. If the account exists
// but is unclaimed, bootstrap prints only a new link. The caller needs the operator's
// certificate or access to the keyauth socket.
func bootstrap(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	o.AddServerFlag("keyauth", "HOST:PORT of the keyauth service, as in the settings of the services; same as --server")
	return o.RunWithKeyauth(ctx, func() error {
		made, err := o.Accounts.Bootstrap(ctx, &keyauthv1.BootstrapRequest{Name: "operator"})
		if err != nil {
			return err
		}
		if made.GetClaimToken() == "" {
			return errors.New("the operator account has already been claimed; sign in to the dashboard, or use signalbox accounts reset-password if the password is lost")
		}
		url := o.TokenURL("/claim", made.GetClaimToken())
		rows := [][]string{{"Claim", url}}
		if made.GetKey() != "" {
			rows = append(rows, []string{"Key", made.GetKey(), "(shown only once)"})
		}
		return o.PrintResult(bootstrapView{url, made.GetClaimToken(), made.GetKey()}, rows...)
	})
}
