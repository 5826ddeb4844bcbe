package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/httpwire"
)

// storeTimeout limits how long records may take to reach the ledger after the
// gateway has become idle.
const storeTimeout = 15 * time.Second

// apiTimeout bounds a call of the dashboard's API or of an admin address.
const apiTimeout = 20 * time.Second

// Impact is the summary of all records that the API returns.
type Impact struct {
	Requests int `json:"requests"`
	Groups   []struct {
		Group    *string `json:"group"`
		Requests int     `json:"requests"`
	} `json:"groups"`
}

// FormatRoutes lists how many records each route has.
func (i Impact) FormatRoutes() string {
	var all []string
	for _, g := range i.Groups {
		name := "none"
		if g.Group != nil {
			name = *g.Group
		}
		all = append(all, fmt.Sprintf("%s %d", name, g.Requests))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// AwaitRecords waits until the ledger holds the expected number of records, or
// until the timeout.
func (s *Box) AwaitRecords(ctx context.Context, want int) (Impact, error) {
	if err := s.OpenSession(ctx); err != nil {
		return Impact{}, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(s.storeWait); ; <-tick.C {
		var got Impact
		err := s.Call(ctx, http.MethodGet, "/impact?group_by=route", nil, &got)
		if err != nil || got.Requests >= want || time.Now().After(until) {
			return got, err
		}
	}
}

// OpenSession signs in as the operator, once.
func (s *Box) OpenSession(ctx context.Context) error {
	if s.session != nil {
		return nil
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	s.session = &http.Client{Jar: jar, Timeout: apiTimeout}
	return s.Call(ctx, http.MethodPost, s.SignIn, s.Secret, nil)
}

// Call calls the dashboard's API and decodes the response into out, unless out is nil. It needs an
// open session.
func (s *Box) Call(ctx context.Context, method, path string, body, out any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.API+"/api/v1"+path, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.session.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	response, err := io.ReadAll(io.LimitReader(res.Body, httpwire.MaxMessage))
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, response)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(response, out)
}
