package imports

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/litellm"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/portkey"
	"github.com/signalbox/signalbox/services/router"
)

// Commands returns the commands that import configurations.
func Commands() []cli.Command {
	return []cli.Command{
		{Name: "import litellm", Arguments: "FILE", Summary: "print a policy for LiteLLM's config.yaml; needs no service", Run: run(litellm.Convert),
			Examples: []string{"config.yaml"}},
		{Name: "import portkey", Arguments: "FILE", Summary: "print a policy for a Portkey config in JSON; needs no service", Run: run(portkey.Convert),
			Examples: []string{"config.json"}},
	}
}

// maxFileBytes is far above the size of any real configuration.
const maxFileBytes = 4 << 20

type convert func(text []byte, cat *catalog.Catalog) (*draft.Policy, error)

func run(convert convert) func(context.Context, cli.Invocation) error {
	return func(_ context.Context, c cli.Invocation) error {
		var file string
		set := config.New()
		set.FlagsOnly(true)
		set.Argument(&file, "FILE", "configuration file; - reads standard input")
		if err := set.Load(c.Args, nil); err != nil {
			return err
		}
		return importFile(c, file, convert)
	}
}

func importFile(c cli.Invocation, file string, convert convert) error {
	text, err := readFile(c, file)
	if err != nil {
		return err
	}
	cat, err := catalog.Load()
	if err != nil {
		return err
	}
	p, err := convert(text, cat)
	if err != nil {
		return fmt.Errorf("%s: %w", cli.Sanitize(file), err)
	}
	out, err := p.YAML()
	if err != nil {
		return err
	}
	if _, err := c.Out.Write(out); err != nil {
		return err
	}
	return report(c, p, out)
}

// report prints the notes, and the problems of the policy if it is not valid.
func report(c cli.Invocation, p *draft.Policy, out []byte) error {
	if refs := p.OwnSecrets(); len(refs) > 0 {
		p.Note("to publish the policy, start the router with --policy-secrets %s; with --config FILE the router needs no such list", strings.Join(refs, ","))
	}
	for _, note := range p.Notes() {
		if _, err := fmt.Fprintln(c.Err, "note:", cli.Sanitize(note)); err != nil {
			return err
		}
	}
	checked, err := router.Validate(out)
	if err != nil {
		return err
	}
	for _, problem := range checked.Problems {
		if _, err := fmt.Fprintf(c.Err, "%d:%d: %s\n", problem.Line, problem.Column, cli.Sanitize(problem.Message)); err != nil {
			return err
		}
	}
	if n := int64(len(checked.Problems)); n > 0 {
		return fmt.Errorf("the policy has %s to solve by hand; then check it with signalbox policy validate", cli.CountNoun(n, "problem"))
	}
	_, err = fmt.Fprintf(c.Err, "%s, %s, %s. Next: signalbox policy validate FILE, then policy publish FILE\n",
		cli.CountNoun(int64(len(p.Providers)), "provider"), cli.CountNoun(int64(len(p.Models)), "model"), cli.CountNoun(int64(len(p.Routes)), "route"))
	return err
}

func readFile(c cli.Invocation, file string) ([]byte, error) {
	from := c.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxFileBytes+1))
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("%s is larger than %d MiB", cli.Sanitize(file), maxFileBytes>>20)
	}
	return text, err
}
