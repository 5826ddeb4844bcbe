// Package providers holds the commands that show the state of the providers, and that drain
// and resume them.
package providers

import (
	"context"
	"fmt"

	"google.golang.org/grpc"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// Commands returns the commands.
func Commands() []cli.Command {
	return []cli.Command{
		{Name: "provider list", Summary: "list the models at each provider with their calls of the last five minutes, and what is drained", Run: list,
			Examples: []string{"", "--json"}},
		{Name: "provider drain", Summary: "stop new requests to a provider or a model", Run: drain,
			Examples: []string{"--provider openai --reason maintenance", "--model gpt-6.1-sol --provider openai --reason slow"}},
		{Name: "provider resume", Summary: "end a drain of the same provider and model", Run: resume,
			Examples: []string{"--provider openai"}},
	}
}

// endpoint is a model at a provider in JSON.
type endpoint struct {
	Provider  string  `json:"provider"`
	Model     string  `json:"model"`
	Succeeded int64   `json:"succeeded"`
	Failed    int64   `json:"failed"`
	Down      *string `json:"down"`
}

// drained is a drain in JSON.
type drained struct {
	Provider *string `json:"provider"`
	Model    *string `json:"model"`
	Reason   string  `json:"reason"`
	Author   string  `json:"author"`
}

// state is the JSON of the list.
type state struct {
	Items  []endpoint `json:"items"`
	Drains []drained  `json:"drains"`
}

func list(ctx context.Context, c cli.Invocation) error {
	r := remote.NewRouterCommand(c)
	return r.RunWithRouter(ctx, func(conn grpc.ClientConnInterface) error {
		got, err := routerv1.NewRouterServiceClient(conn).Status(ctx, &routerv1.StatusRequest{})
		if err != nil {
			return err
		}
		all := state{Items: []endpoint{}, Drains: []drained{}}
		rows := [][]string{{"PROVIDER", "MODEL", "SUCCEEDED", "FAILED", "DOWN"}}
		for _, s := range got.GetCandidates() {
			at := s.GetCandidate()
			all.Items = append(all.Items, endpoint{at.GetProvider(), at.GetModel(), s.GetSucceeded(), s.GetFailed(), cli.NullIfEmpty(s.GetDown())})
			rows = append(rows, []string{at.GetProvider(), at.GetModel(), fmt.Sprint(s.GetSucceeded()), fmt.Sprint(s.GetFailed()), s.GetDown()})
		}
		for _, d := range got.GetDrains() {
			all.Drains = append(all.Drains, drained{cli.NullIfEmpty(d.GetProvider()), cli.NullIfEmpty(d.GetModel()), d.GetReason(), d.GetAuthor()})
			rows = append(rows, []string{fmt.Sprintf("Drained: %s (%s, by %s)", targetName(d.GetProvider(), d.GetModel()), d.GetReason(), d.GetAuthor())})
		}
		return r.PrintResult(all, rows...)
	})
}

// targetName names what is drained.
func targetName(provider, model string) string {
	switch {
	case model == "":
		return provider
	case provider == "":
		return model + " at every provider"
	}
	return model + " at " + provider
}
