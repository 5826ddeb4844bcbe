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
)

// storeLimit is how long records may take to arrive in the ledger after the
// process has come to rest.
const storeLimit = 15 * time.Second

// impact is what the API tells of all records together.
type impact struct {
	Requests int `json:"requests"`
	Groups   []struct {
		Group    *string `json:"group"`
		Requests int     `json:"requests"`
	} `json:"groups"`
}

func (i impact) routes() string {
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

// checkRecords compares the ledger with what the clients have seen.
func (b *bench) checkRecords(ctx context.Context, p peer, t *target, answered int) error {
	if t.box == nil {
		return nil
	}
	t.box.answered += answered
	got, err := t.box.records(ctx, t.box.answered)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	b.printf("%s: records: answered %d, stored %d (%s)\n", p.name, t.box.answered, got.Requests, got.routes())
	if got.Requests != t.box.answered {
		b.problems = append(b.problems, fmt.Sprintf("%s: answered %d, stored %d", p.name, t.box.answered, got.Requests))
	}
	return nil
}

// records waits until the ledger holds as many records as are expected, or it
// is clear that it will not.
func (s *signalbox) records(ctx context.Context, want int) (impact, error) {
	if err := s.openSession(ctx); err != nil {
		return impact{}, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(s.patience); ; <-tick.C {
		var got impact
		err := s.call(ctx, http.MethodGet, "/impact?group_by=route", nil, &got)
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
	s.session = &http.Client{Jar: jar, Timeout: requestLimit}
	return s.call(ctx, http.MethodPost, s.signIn, s.secret, nil)
}

func (s *signalbox) call(ctx context.Context, method, path string, body, out any) error {
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
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxMessage))
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}
