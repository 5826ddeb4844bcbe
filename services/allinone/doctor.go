package allinone

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/signalbox/signalbox/pkg/health"
)

// Doctor runs the startup steps of Run, prints the result of each one, and
// closes everything again. Like a first start, it creates the data directory
// and the stores if they do not exist.
func Doctor(ctx context.Context, cfg Config, environ []string, out io.Writer) error {
	p := &gateway{cfg: cfg, out: io.Discard, log: io.Discard, ready: health.New()}
	for _, s := range p.startupSteps(environ) {
		if err := s.run(ctx); err != nil {
			_, _ = fmt.Fprintf(out, "  fails  %s\n", s.name)
			return errors.Join(err, p.close())
		}
		_, _ = fmt.Fprintf(out, "  ok     %s\n", s.name)
	}
	return p.close()
}
