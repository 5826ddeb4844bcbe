package policies

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

func listPolicies(ctx context.Context, c cli.Invocation) error {
	r := newPolicyCommand(c)
	var limit int64
	r.Flags.Int(&limit, "limit", 50, 1, 200, "maximum number of versions, newest first")
	return r.run(ctx, func() error {
		list, err := r.policies.List(ctx, &routerv1.ListRequest{Limit: int32(limit)})
		if err != nil {
			return err
		}
		all := cli.List[map[string]any]{Items: []map[string]any{}}
		rows := [][]string{{"VERSION", "CREATED", "ACTIVE", "ORIGIN", "AUTHOR", "NOTE"}}
		for _, v := range list.GetVersions() {
			all.Items = append(all.Items, policyjson.EncodeListedVersion(v))
			since := "last " + remote.FormatTableTime(v.GetActivatedAt())
			switch {
			case v.GetActive():
				since = "since " + remote.FormatTableTime(v.GetActivatedAt())
			case v.GetActivatedAt() == nil:
				since = "never"
			}
			rows = append(rows, []string{shortVersion(v.GetVersion()), remote.FormatTableTime(v.GetCreatedAt()), since, v.GetOrigin(), v.GetAuthor(), v.GetNote()})
		}
		return r.PrintResult(all, rows...)
	})
}

// showPolicy prints the document of a version. A user can edit the document and publish
// it again.
func showPolicy(ctx context.Context, c cli.Invocation) error {
	r := newPolicyCommand(c)
	var version string
	r.Flags.Optional(&version, "[VERSION]", "start of the version; default: the active version")
	return r.run(ctx, func() error {
		got, err := r.policies.Get(ctx, &routerv1.GetRequest{Version: version})
		if err != nil {
			return err
		}
		if r.JSON {
			return r.PrintResult(policyjson.EncodeMessage(got))
		}
		if _, err := fmt.Fprint(r.Out, got.GetVersion().GetDocument()); err != nil {
			return err
		}
		if version != "" || got.GetFileFault() == "" {
			return nil
		}
		_, _ = fmt.Fprintln(r.Err, "This is the active policy. The policy file has changed and cannot be used: "+cli.Sanitize(got.GetFileFault()))
		problems := toProblems(got.GetFileProblems())
		_ = printProblems(r.Invocation, "file", problems, countProblems(problems)) // the active policy was printed, so the command succeeds
		return nil
	})
}
