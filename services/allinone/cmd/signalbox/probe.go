package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
)

// probeTimeout is shorter than what health checks usually allow.
const probeTimeout = 3 * time.Second

// probe asks a health or readiness page, for images that hold no other client.
func probe(ctx context.Context, c call) error {
	var page string
	set := config.New()
	set.Argument(&page, "URL", "the page, such as http://127.0.0.1:9080/readyz")
	if err := set.Load(c.args, nil); err != nil {
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
