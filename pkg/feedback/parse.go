package feedback

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads one item or a list of items. Its error is a *Problem.
func Parse(body []byte, defaultSource string) ([]Item, error) {
	values, err := splitItems(body)
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(values))
	for i, value := range values {
		item, err := parseItem(value, defaultSource)
		if err != nil {
			var p *Problem
			errors.As(err, &p)
			p.Index = i
			return nil, p
		}
		items = append(items, item)
	}
	return items, nil
}

// splitItems returns the items of a list, or the single item. It reads no more than
// MaxItems of them.
func splitItems(body []byte) ([]jsontext.Value, error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 || body[0] != '[' {
		return []jsontext.Value{body}, nil
	}
	var values []jsontext.Value
	if err := json.Unmarshal(body, &values); err != nil {
		return nil, &Problem{Index: -1, Text: "the body is not valid JSON"}
	}
	switch {
	case len(values) == 0:
		return nil, &Problem{Index: -1, Text: "the list is empty"}
	case len(values) > MaxItems:
		return nil, &Problem{Index: -1, Text: fmt.Sprintf("the list has %d items; send at most %d", len(values), MaxItems)}
	}
	return values, nil
}

func parseItem(value jsontext.Value, defaultSource string) (Item, error) {
	if kind := value.Kind(); kind != '{' && value.IsValid() {
		return Item{}, invalid("", "the item must be a JSON object")
	}
	var f Fields
	err := json.Unmarshal(value, &f, json.RejectUnknownMembers(true))
	var wrong *json.SemanticError
	switch {
	case err == nil:
		return f.Check(defaultSource)
	case errors.Is(err, json.ErrUnknownName):
		errors.As(err, &wrong)
		name := fieldName(wrong)
		return Item{}, invalid(name, fmt.Sprintf("unknown field %q", name))
	case errors.As(err, &wrong):
		name := fieldName(wrong)
		return Item{}, invalid(name, name+" has a value of the wrong type")
	}
	return Item{}, invalid("", "the item is not valid JSON, or a field appears twice")
}

// maxName limits how much of an unknown field's name an error repeats, in bytes.
const maxName = 64

func fieldName(err *json.SemanticError) string {
	name := strings.TrimPrefix(string(err.JSONPointer), "/")
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}
