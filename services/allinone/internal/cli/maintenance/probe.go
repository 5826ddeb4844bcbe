package maintenance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// probeTimeout is shorter than the usual timeout of a container health check.
const probeTimeout = 3 * time.Second

// probeURL requests a health or readiness page. Container images without curl use it for health checks.
func probeURL(ctx context.Context, c cli.Invocation) error {
	var page string
	set := config.New()
	set.Argument(&page, "URL", "page to request, such as http://127.0.0.1:9080/readyz")
	if err := set.Load(c.Args, nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	res, err := (&http.Client{}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", res.Status, body)
	}
	return nil
}
