package policyjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// ParseQuestion parses a question such as {"model": "auto", "needs": ["tools"]}. The default endpoint
// is chat, and the default model is auto. An unknown field is an error.
func ParseQuestion(text []byte) (*routerv1.Question, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("the question must be a JSON object: %w", err)
	}
	if fields == nil {
		return nil, errors.New("the question must be a JSON object")
	}
	endpoint := "chat"
	if raw, ok := fields["endpoint"]; ok {
		if err := json.Unmarshal(raw, &endpoint); err != nil {
			return nil, errors.New(`"endpoint" must be a string`)
		}
		delete(fields, "endpoint")
	}
	for _, name := range []string{"features", "qualities"} {
		if err := listNamedValues(fields, name); err != nil {
			return nil, err
		}
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	q := &routerv1.Question{}
	if err := protojson.Unmarshal(rest, q); err != nil {
		return nil, fmt.Errorf("invalid question: %s", cleanError(err))
	}
	n, ok := routerv1.Endpoint_value["ENDPOINT_"+strings.ToUpper(endpoint)]
	if !ok || n == 0 {
		return nil, fmt.Errorf("unknown endpoint %q: use chat or embeddings", endpoint)
	}
	q.Endpoint = routerv1.Endpoint(n)
	if q.GetModel() == "" {
		q.Model = "auto"
	}
	return q, nil
}

// listNamedValues replaces an object by the list that its field is in the message.
func listNamedValues(fields map[string]json.RawMessage, field string) error {
	raw, ok := fields[field]
	if !ok {
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return fmt.Errorf("%q must be an object of numbers", field)
	}
	type entry struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
	list := []entry{}
	for name, value := range object {
		list = append(list, entry{name, value})
	}
	var err error
	fields[field], err = json.Marshal(list)
	return err
}

// cleanError returns the message of protojson without its prefix and non-breaking spaces. It also
// removes the position, because the position refers to the re-encoded JSON, not to the user's text.
func cleanError(err error) string {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	text = strings.TrimPrefix(text, "proto: ")
	if _, after, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(text, "(line ") {
		return after
	}
	return text
}
