package allinone

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/dashboard"
)

const (
	// localServerTimeout limits the search at one port. Servers on this machine respond fast.
	localServerTimeout = 2 * time.Second
	maxLocalResponse   = 1 << 20
	maxLocalModels     = 200
)

// findLocalServers looks for the model servers of the catalog, such as Ollama, at their usual
// ports on this machine. It reads only their lists of models.
func findLocalServers(ctx context.Context, all []catalog.Provider, timeout time.Duration) []dashboard.LocalServer {
	client := &http.Client{
		Timeout: timeout,
		// Without a proxy, because the addresses are those of this machine.
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	found := make([]*dashboard.LocalServer, len(all))
	var wait sync.WaitGroup
	for i, p := range all {
		if !isLoopbackURL(p.BaseURL) {
			continue
		}
		wait.Go(func() {
			if models, ok := listLocalModels(ctx, client, p.BaseURL); ok {
				found[i] = &dashboard.LocalServer{Provider: p.ID, BaseURL: p.BaseURL, Models: models}
			}
		})
	}
	wait.Wait()
	var servers []dashboard.LocalServer
	for _, s := range found {
		if s != nil {
			servers = append(servers, *s)
		}
	}
	return servers
}

func isLoopbackURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// listLocalModels returns false if there is no server, or if it is not a model server.
func listLocalModels(ctx context.Context, client *http.Client, base string) ([]string, bool) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil, false
	}
	res, err := client.Do(r)
	if err != nil {
		return nil, false
	}
	defer func() { _ = res.Body.Close() }()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.NewDecoder(io.LimitReader(res.Body, maxLocalResponse)).Decode(&list)
	if res.StatusCode != http.StatusOK || err != nil || list.Data == nil {
		return nil, false
	}
	var models []string
	for _, m := range list.Data[:min(len(list.Data), maxLocalModels)] {
		models = append(models, m.ID)
	}
	return models, true
}
