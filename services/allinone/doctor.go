package allinone

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/signalbox/signalbox/pkg/health"
)

// Doctor opens everything that Run would open, says of each step whether it
// works, and closes it again. It changes nothing but what a first start would
// make.
func Doctor(ctx context.Context, cfg Config, environ []string, out io.Writer) error {
	p := &whole{cfg: cfg, out: io.Discard, log: io.Discard, ready: health.New()}
	for _, s := range p.steps(environ) {
		if err := s.run(ctx); err != nil {
			_, _ = fmt.Fprintf(out, "  fails  %s\n", s.name)
			return errors.Join(err, p.close())
		}
		_, _ = fmt.Fprintf(out, "  ok     %s\n", s.name)
	}
	return p.close()
}
