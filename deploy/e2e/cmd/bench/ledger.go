package main

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

// impact is the summary of all records that the API returns.
type impact struct {
	Requests int `json:"requests"`
	Groups   []struct {
		Group    *string `json:"group"`
		Requests int     `json:"requests"`
	} `json:"groups"`
}

func (i impact) formatRoutes() string {
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

// checkRecords compares the ledger with the responses that the clients received. There is no
// gateway if none was measured.
func (b *bench) checkRecords(ctx context.Context, box *signalbox) error {
	if box == nil {
		return nil
	}
	got, err := box.awaitRecords(ctx, box.answered)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	b.printf("records: answered %d, stored %d (%s)\n", box.answered, got.Requests, got.formatRoutes())
	if got.Requests != box.answered {
		b.problems = append(b.problems, fmt.Sprintf("answered %d, stored %d", box.answered, got.Requests))
	}
	return nil
}

// awaitRecords waits until the ledger holds the expected number of records, or
// until the timeout.
func (s *signalbox) awaitRecords(ctx context.Context, want int) (impact, error) {
	if err := s.openSession(ctx); err != nil {
		return impact{}, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(s.storeWait); ; <-tick.C {
		var got impact
		err := s.callAPI(ctx, http.MethodGet, "/impact?group_by=route", nil, &got)
		if err != nil || got.Requests >= want || time.Now().After(until) {
			return got, err
		}
	}
}

// openSession signs in as the operator, once.
func (s *signalbox) openSession(ctx context.Context) error {
	if s.session != nil {
		return nil
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	s.session = &http.Client{Jar: jar, Timeout: requestTimeout}
	return s.callAPI(ctx, http.MethodPost, s.signIn, s.secret, nil)
}

func (s *signalbox) callAPI(ctx context.Context, method, path string, body, out any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.api+"/api/v1"+path, bytes.NewReader(payload))
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
