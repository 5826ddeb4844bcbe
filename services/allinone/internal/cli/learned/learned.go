// Package learned holds the commands that show what the router has learned from feedback, and
// that return to an earlier version or to the shipped weights.
package learned

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// Commands returns the commands.
func Commands() []cli.Command {
	return []cli.Command{
		{Name: "learned list", Summary: "list what the router has learned from feedback, and show which version applies", Run: list,
			Examples: []string{"", "--limit 5 --json"}},
		{Name: "learned use", Arguments: "VERSION", Summary: "apply an earlier version, shipped for none, or newest to go on learning", Run: use,
			Examples: []string{"shipped", "3f0a5e1b2c3d", "newest"}},
	}
}

// newest is the argument that lets the newest version apply, and every newer one after it.
const newest = "newest"

// version is a version in JSON.
type version struct {
	Version  string    `json:"version"`
	Created  time.Time `json:"created_at"`
	Shared   int64     `json:"shared"`
	Accounts int64     `json:"accounts"`
}

// versions is the JSON of the list.
type versions struct {
	Items  []version `json:"items"`
	Active string    `json:"active"`
	Pinned bool      `json:"pinned"`
}

func list(ctx context.Context, c cli.Invocation) error {
	r := remote.NewRouterCommand(c)
	var limit int64
	r.Flags.Int(&limit, "limit", 50, 1, 200, "maximum number of versions, newest first")
	return r.RunWithRouter(ctx, func(conn grpc.ClientConnInterface) error {
		got, err := routerv1.NewRouterServiceClient(conn).ListLearned(ctx, &routerv1.ListLearnedRequest{Limit: int32(limit)})
		if err != nil {
			return err
		}
		all := versions{Items: []version{}, Active: got.GetActive(), Pinned: got.GetPinned()}
		rows := [][]string{{"VERSION", "CREATED", "SHARED", "ACCOUNTS"}}
		for _, v := range got.GetVersions() {
			all.Items = append(all.Items, version{v.GetVersion(), v.GetCreatedAt().AsTime(), v.GetShared(), v.GetAccounts()})
			rows = append(rows, []string{v.GetVersion(), remote.FormatTableTime(v.GetCreatedAt()), fmt.Sprint(v.GetShared()), fmt.Sprint(v.GetAccounts())})
		}
		return r.PrintResult(all, append(rows, []string{describe(got.GetActive(), got.GetPinned())})...)
	})
}

func use(ctx context.Context, c cli.Invocation) error {
	r := remote.NewRouterCommand(c)
	q := &routerv1.UseLearnedRequest{Author: "operator"}
	r.Flags.Argument(&q.Version, "VERSION", "version, see signalbox learned list; shipped for the shipped weights; newest to go on learning")
	return r.RunWithRouter(ctx, func(conn grpc.ClientConnInterface) error {
		pinned := q.Version != newest
		if !pinned {
			q.Version = ""
		}
		got, err := routerv1.NewRouterServiceClient(conn).UseLearned(ctx, q)
		if err != nil {
			return err
		}
		return r.PrintResult(versions{Active: got.GetActive(), Pinned: pinned}, []string{describe(got.GetActive(), pinned)})
	})
}

func describe(active string, pinned bool) string {
	if pinned {
		return fmt.Sprintf("Applies: %s, until another version is chosen", active)
	}
	return fmt.Sprintf("Applies: %s, until the router has learned more", active)
}
