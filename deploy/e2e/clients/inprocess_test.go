package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
)

// inProcess runs a Go library. do runs a case; what it has seen counts even if it fails.
func inProcess(do func(context.Context, caseInput) (observation, error), fail func(error) failure) func(*testing.T, job) []observation {
	return func(t *testing.T, j job) []observation {
		ctx, cancel := context.WithTimeout(t.Context(), libraryTimeout)
		defer cancel()
		seen := make([]observation, len(j.Cases))
		var all sync.WaitGroup
		for i, a := range j.Cases {
			all.Go(func() {
				s, err := recovered(ctx, a, do)
				s.Case = a.Name
				if err != nil {
					f := fail(err)
					s.Error = &f
				}
				seen[i] = s
			})
		}
		all.Wait()
		return seen
	}
}

// recovered runs a case. A panic, such as one of code that reads the first of no choices, is an
// error of the case.
func recovered(ctx context.Context, a caseInput, do func(context.Context, caseInput) (observation, error)) (s observation, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do(ctx, a)
}

// arguments decodes the arguments of a tool call; it marks invalid JSON.
func arguments(text string) map[string]string {
	args := map[string]string{}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return map[string]string{"not JSON": text}
	}
	return args
}

// parsed decodes a response that follows the schema.
func parsed(s observation, err error) (observation, error) {
	if err == nil {
		s.Parsed = &weather{}
		err = json.Unmarshal([]byte(s.Text), s.Parsed)
	}
	return s, err
}

var (
	toolSchema = map[string]any{
		"type": "object", "required": []string{"city"}, "properties": map[string]any{"city": map[string]any{"type": "string"}},
	}
	weatherSchema = map[string]any{
		"type": "object", "required": []string{"city", "degrees"}, "additionalProperties": false,
		"properties": map[string]any{"city": map[string]any{"type": "string"}, "degrees": map[string]any{"type": "number"}},
	}
)

// toolNames are the tools that SDKs offer, and toolResults are their results.
var (
	toolNames   = []string{"get_weather", "get_time"}
	toolResults = map[string]string{"get_weather": "rain", "get_time": "noon"}
)

// pixel is a PNG image in base64.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
