package playground

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

const (
	// maxBody is the size of a run's request, which may contain images.
	maxBody = 16 << 20
	// runTimeout limits a run, from the request to the last byte of the response.
	runTimeout = 10 * time.Minute
	// userAgent marks the records of the playground: the proxy derives the agent from it.
	userAgent = "signalbox-playground"
)

// endpointPaths maps the endpoints of a run to paths of the proxy.
var endpointPaths = map[string]string{
	"":          "/proxy/v1/chat/completions",
	"chat":      "/proxy/v1/chat/completions",
	"messages":  "/proxy/v1/messages",
	"responses": "/proxy/v1/responses",
}

// run is a request of the playground. Body is sent to the proxy unchanged.
type run struct {
	Endpoint string         `json:"endpoint"`
	Body     jsontext.Value `json:"body"`
}

func (b *run) validate() error {
	if _, ok := endpointPaths[b.Endpoint]; !ok {
		return httpapi.InvalidParam("endpoint", "the endpoint must be chat, messages or responses")
	}
	if b.Body.Kind() != '{' {
		return httpapi.InvalidParam("body", "the body must be a JSON object")
	}
	return nil
}

// apiRun relays a request to a proxy and its response to the browser. When the browser
// disconnects, the proxy cancels the request.
func (s *API) apiRun(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	// The slot comes before the body, because bodies of many runs would fill the memory.
	release, err := s.runs.acquire(v.Account.GetId())
	if err != nil {
		return err
	}
	defer release()
	var body run
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxBody); err != nil {
		return err
	}
	if err := body.validate(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), runTimeout)
	defer cancel()
	stopChecks := s.cancelWhenForbidden(ctx, r, cancel)
	defer stopChecks()
	res, err := s.send(ctx, v, &body)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	relayResponse(w, res)
	return nil
}

// send sends the request with the user's key. If the proxy does not know the key, another
// dashboard may have caused a new one. send then tries once more.
func (s *API) send(ctx context.Context, v *access.Viewer, body *run) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		secret, err := s.keys.secret(ctx, s.Accounts, v.Actor())
		if err != nil {
			return nil, err
		}
		res, err := s.sendWithKey(ctx, secret, body)
		if err != nil || attempt > 0 || res.Header.Get("X-Error-Code") != string(apperr.AuthInvalidKey) {
			return res, err
		}
		_ = res.Body.Close()
		s.keys.forget(v.Actor(), secret)
	}
}

func (s *API) sendWithKey(ctx context.Context, secret string, body *run) (*http.Response, error) {
	url := s.ProxyURL.JoinPath(endpointPaths[body.Endpoint]).String()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body.Body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", userAgent)
	res, err := s.Proxy.RoundTrip(r)
	if err != nil {
		return nil, apperr.New(apperr.RoutingUnavailable, "the proxy cannot be reached; an operator can check the setting --proxy").WithCause(err)
	}
	return res, nil
}
