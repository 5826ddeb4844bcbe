package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// requiredFields lists fields that a Wire must not drop or change. Without them an
// upstream cannot serve a request.
var requiredFields = []string{"model", "messages", "input", "stream"}

// WireFault is an invalid value in one field of a Wire.
type WireFault struct{ Field, Text string }

// Error returns the fault with its field.
func (f WireFault) Error() string { return f.Field + ": " + f.Text }

// FindFaults returns all faults of a Wire from the catalog or from a policy.
func (w *Wire) FindFaults() []WireFault {
	var c wireCheck
	c.require("api", w.API == "" || w.API == ProtocolChat || w.API == ProtocolResponses, `must be "chat" or "responses"`)
	c.requireNames("drop", w.Drop, isPath)
	c.requireNames("keep", w.Keep, isPath)
	c.requireNames("refuse", w.Reject, isField)
	c.requireNames("drop_default", w.DropDefault, isField)
	for name, v := range w.Add {
		c.require("add", isField(name) && json.Valid(v), "%q must be an optional field with a JSON value", name)
	}
	names := map[string]int{}
	for from, to := range w.Rename {
		_, again := w.Rename[to]
		_, added := w.Add[to]
		c.require("rename", isField(from) && isField(to) && !again && !added, "%q cannot be renamed to %q", from, to)
		names[to]++
		c.require("rename", names[to] == 1, "two fields cannot both be renamed to %q", to)
	}
	for name, values := range w.AllowedValues {
		c.require("only", isField(name) && len(values) > 0, "%q must be an optional field with a list of values", name)
	}
	for name := range w.Values {
		c.requireNames("values", []string{name}, isField)
	}
	for name, l := range w.Limits {
		c.require("limits", isField(name) && l.isValid(), `%q must be an optional field with "min" or "max"`, name)
	}
	for from, to := range w.Roles {
		c.require("roles", (from == "developer" || from == "system") && isName(to), "%q cannot be renamed to %q", from, to)
	}
	known := w.Reasoning == "" || slices.Contains(ReasoningStyles(), w.Reasoning)
	c.require("reasoning", known, "%q is not allowed: use one of %v", w.Reasoning, ReasoningStyles())
	c.require("tool_id_length", w.ToolIDLength >= 0 && w.ToolIDLength <= maxToolID, "must be from 0 to %d", maxToolID)
	c.require("max_inputs", w.MaxInputs >= 0, "must not be negative")
	if w.HTTP != nil {
		c.checkHTTP(w.HTTP)
	}
	return c.faults
}

// Check returns all faults as one error.
func (w *Wire) Check() error {
	var errs []error
	for _, f := range w.FindFaults() {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// maxToolID is the largest ToolIDLength. It is the length of the hash that replaces a
// tool call id.
const maxToolID = 32

type wireCheck struct{ faults []WireFault }

func (c *wireCheck) require(field string, ok bool, format string, args ...any) {
	if !ok {
		c.faults = append(c.faults, WireFault{field, fmt.Sprintf(format, args...)})
	}
}

func (c *wireCheck) requireNames(field string, names []string, valid func(string) bool) {
	for _, name := range names {
		c.require(field, valid(name), "%q is not an optional request field", name)
	}
}

func (c *wireCheck) checkHTTP(h *WireHTTP) {
	header := isHeader(h.AuthHeader) && isVisible(h.AuthPrefix) && (h.AuthHeader != "" || h.AuthPrefix == "")
	c.require("http", header, `"auth_header" must be a header name; "auth_prefix" requires "auth_header"`)
	for _, path := range []string{h.ChatPath, h.EmbeddingsPath, h.ResponsesPath} {
		ok := path == "" || path[0] == '/' && isVisible(path) && !strings.ContainsAny(path, "?# ")
		c.require("http", ok, "%q is not a valid path", path)
	}
	for name, v := range h.Query {
		c.require("http", name != "" && isVisible(name) && isVisible(v), "%q is not a valid query parameter", name)
	}
}

// isPath reports whether a path is well-formed and does not refer to a required field.
func isPath(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if !isName(strings.TrimSuffix(part, "[]")) {
			return false
		}
	}
	return !strings.HasSuffix(name, "[]") && !slices.Contains(requiredFields, name) &&
		name != "messages[].role" && name != "messages[].content"
}

// isField reports whether a top-level field name is well-formed and not required.
func isField(name string) bool { return isName(name) && !slices.Contains(requiredFields, name) }

func isName(name string) bool {
	ok := name != "" && len(name) <= 64
	for _, r := range name {
		ok = ok && (isLetter(r) || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '$')
	}
	return ok
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isHeader(name string) bool {
	ok := len(name) <= 64
	for _, r := range name {
		ok = ok && (isLetter(r) || r >= '0' && r <= '9' || r == '-')
	}
	return ok
}

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// isValid reports whether at least one bound is set and Min does not exceed Max.
func (l Limit) isValid() bool {
	lower, ok := parseNumber(l.Min)
	upper, ok2 := parseNumber(l.Max)
	return ok && ok2 && (l.Min != "" || l.Max != "") && (l.Min == "" || l.Max == "" || lower <= upper)
}

func parseNumber(s string) (float64, bool) {
	if s == "" {
		return 0, true
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && json.Valid([]byte(s))
}
