package main

import (
	"context"
	"errors"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// bootstrapView is what is shown once.
type bootstrapView struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	Key   string `json:"key,omitempty"`
}

// bootstrap makes the operator's account of the split shape and shows, once,
// the link that claims it and a first key. The operator's certificate allows
// it, or the key service's socket.
func bootstrap(ctx context.Context, c call) error {
	o := newOperator(c)
	o.set.FlagsOnly(false)
	o.set.Func("keyauth", "HOST:PORT of the key service, as services have it; the same as --server", given(&o.server))
	o.set.FlagsOnly(true)
	return o.with(ctx, func() error {
		made, err := o.accounts.Bootstrap(ctx, &keyauthv1.BootstrapRequest{Name: "operator"})
		if err != nil {
			return err
		}
		if made.GetClaimToken() == "" {
			return errors.New("the operator's account has been claimed already")
		}
		url := o.link("/claim", made.GetClaimToken())
		rows := [][]string{{"Claim", url}}
		if made.GetKey() != "" {
			rows = append(rows, []string{"Key", made.GetKey(), "(shown only now)"})
		}
		return o.show(bootstrapView{url, made.GetClaimToken(), made.GetKey()}, rows...)
	})
}
