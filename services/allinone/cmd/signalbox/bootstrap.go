package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// bootstrap makes the operator's account of the split shape and shows, once,
// the link that claims it and a first key. The operator's certificate is what
// allows it.
func bootstrap(ctx context.Context, c call) (err error) {
	var peers process.Peers
	var keyauth, public string
	set := config.New()
	peers.Register(set)
	set.String(&keyauth, "keyauth", "127.0.0.1:7002", "address of the key service")
	set.String(&public, "public-url", "http://127.0.0.1:8080", "address by which browsers come")
	if err := set.Load(c.args, c.environ); err != nil {
		return err
	}
	identity, err := peers.Identity(health.New(), certs.Operator, keyauth)
	if err != nil {
		return err
	}
	conn, err := rpc.Dial(keyauth, rpc.ClientConfig{Identity: identity, Peer: certs.Keyauth, Timeout: 10 * time.Second})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	made, err := keyauthv1.NewAccountServiceClient(conn).Bootstrap(ctx, &keyauthv1.BootstrapRequest{Name: "operator"})
	if err != nil {
		return fmt.Errorf("ask keyauth at %s: %w", keyauth, err)
	}
	if made.GetClaimToken() == "" {
		return errors.New("the operator's account has been claimed already")
	}
	text := fmt.Sprintf("Claim  %s\n", link(public, "/claim", made.GetClaimToken()))
	if made.GetKey() != "" {
		text += fmt.Sprintf("Key    %s   (shown only now)\n", made.GetKey())
	}
	_, err = io.WriteString(c.out, text)
	return err
}
