package maintenance

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// downgradeStores prepares the stores for the previous version. Without it, the previous version
// refuses stores that this version has migrated.
func downgradeStores(ctx context.Context, c cli.Invocation) error {
	var data string
	var postgres config.Secret
	o := &remote.Command{Invocation: c, Flags: config.New()}
	o.Flags.String(&data, "data", "./data", "directory that holds all state")
	o.Flags.Secret(&postgres, "postgres-url", "URL of the Postgres of a split deployment, with the login of a superuser")
	o.Flags.FlagsOnly(true)
	o.AddYesFlag()
	if err := o.Flags.Load(c.Args, c.Environ); err != nil {
		return err
	}
	data, err := filepath.Abs(data)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	lost, err := allinone.LostByDowngrade(postgres.Reveal())
	if err != nil {
		return err
	}
	question := fmt.Sprintf("Downgrade the stores to version %s?", allinone.PreviousCommit[:12])
	if len(lost) > 0 {
		question += " It deletes " + strings.Join(lost, "; ") + "."
	}
	if err := o.Confirm(ctx, question); err != nil {
		return err
	}
	if err := allinone.Downgrade(ctx, data, postgres.Reveal(), c.Out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "The stores are ready for version %s. This version would migrate them again.\n", allinone.PreviousCommit[:12])
	return err
}
