package requestbody_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The functions in this file define a valid request in simple, slow code that
// shares nothing with the parser. The parser must accept exactly the same.

// strictJSON reports whether a text is one JSON value without duplicate names and
// of bounded depth and size.
func strictJSON(text []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	names := 0
	for {
		raw, err := strictToken(dec)
		if err != nil || dec.StackDepth() > 64 || raw.Kind() == '0' && !isNumber(raw) {
			return false
		}
		if kind, n := dec.StackIndex(dec.StackDepth()); kind == jsontext.KindBeginObject && n%2 == 1 && raw.Kind() == '"' {
			if names++; names > 250_000 || n > 20_000 || len(raw) > 4<<10 {
				return false
			}
		}
		if dec.StackDepth() == 0 {
			_, err := dec.ReadToken()
			return errors.Is(err, io.EOF)
		}
	}
}

// strictToken reads the next token. It returns only scalars.
func strictToken(dec *jsontext.Decoder) (jsontext.Value, error) {
	switch dec.PeekKind() {
	case '{', '}', '[', ']':
		_, err := dec.ReadToken()
		return nil, err
	}
	return dec.ReadValue()
}

// objectBuilder returns the members of a JSON object that are not null. ok is false if
// text is not an object, or has too many names or a known one in another case.
func objectBuilder(text jsontext.Value, known ...string) (members map[string]jsontext.Value, ok bool) {
	if json.Unmarshal(text, &members) != nil || members == nil || len(members) > 1000 {
		return nil, false
	}
	for name := range members {
		for _, k := range known {
			if name != k && strings.EqualFold(name, k) {
				return nil, false
			}
		}
	}
	return members, true
}

func list(text jsontext.Value) (items []jsontext.Value, ok bool) {
	ok = text.Kind() == '[' && json.Unmarshal(text, &items) == nil
	return items, ok
}

// absent reports whether a member is missing or null.
func absent(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' }

func isInteger(v jsontext.Value, least, most float64) bool {
	if v.Kind() != '0' {
		return false
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return float64(n) >= least && float64(n) <= most
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return err == nil && f == math.Trunc(f) && math.Abs(f) <= 1<<53 && f >= least && f <= most
}

func isNumber(v jsontext.Value) bool {
	_, err := strconv.ParseFloat(string(v), 64)
	return v.Kind() == '0' && err == nil
}

func oneOf(v jsontext.Value, kinds string) bool {
	return absent(v) || strings.ContainsRune(kinds, rune(v.Kind()))
}

func isChat(body []byte) bool {
	m, ok := objectBuilder(body, "model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "tools",
		"functions", "response_format", "input", "n", "temperature", "top_p", "presence_penalty", "frequency_penalty", "seed",
		"top_logprobs", "logprobs", "parallel_tool_calls", "stop", "tool_choice", "function_call", "logit_bias", "metadata", "user")
	if !strictJSON(body) || !ok || !isName(m["model"]) {
		return false
	}
	for name, kinds := range map[string]string{
		"stream": "tf", "logprobs": "tf", "parallel_tool_calls": "tf", "tool_choice": `"{`, "function_call": `"{`,
		"logit_bias": "{", "user": `"`,
	} {
		if !oneOf(m[name], kinds) {
			return false
		}
	}
	for name, most := range map[string]float64{"temperature": 2, "top_p": 1, "presence_penalty": 2, "frequency_penalty": 2, "top_logprobs": math.MaxFloat64} {
		least := -most
		if name == "temperature" || name == "top_p" {
			least = 0
		}
		if !absent(m[name]) && !isBetween(m[name], least, most) {
			return false
		}
	}
	return areMessages(m["messages"]) && areTools(m["tools"]) && areTools(m["functions"]) &&
		(absent(m["seed"]) || isInteger(m["seed"], math.MinInt64, math.MaxInt64)) &&
		(absent(m["n"]) || isInteger(m["n"], 1, 128)) &&
		(absent(m["max_tokens"]) || isInteger(m["max_tokens"], 1, math.MaxInt32)) &&
		(absent(m["max_completion_tokens"]) || isInteger(m["max_completion_tokens"], 1, math.MaxInt32)) &&
		areStops(m["stop"]) && isMetadata(m["metadata"]) && len(m["user"]) <= 4<<10 &&
		areOptions(m["stream_options"]) && isFormat(m["response_format"])
}

func isBetween(v jsontext.Value, least, most float64) bool {
	f, err := strconv.ParseFloat(string(v), 64)
	return isNumber(v) && err == nil && f >= least && f <= most
}

func areStops(v jsontext.Value) bool {
	items, ok := list(v)
	return oneOf(v, `"`) || ok && len(items) <= 16 && !slices.ContainsFunc(items, func(item jsontext.Value) bool { return item.Kind() != '"' })
}

func isMetadata(v jsontext.Value) bool {
	m, ok := objectBuilder(v)
	return absent(v) || ok && len(m) <= 64 && len(v) <= 16<<10
}

func isName(v jsontext.Value) bool { return v.Kind() == '"' && string(v) != `""` && len(v) <= 256 }

func areMessages(v jsontext.Value) bool {
	items, ok := list(v)
	return ok && len(items) > 0 && !slices.ContainsFunc(items, func(item jsontext.Value) bool {
		m, ok := objectBuilder(item, "role", "content", "tool_calls")
		return !ok || m["role"].Kind() != '"' || string(m["role"]) == `""` || !isContent(m["content"]) || !areTools(m["tool_calls"])
	})
}

func isContent(v jsontext.Value) bool {
	if absent(v) || v.Kind() == '"' {
		return true
	}
	parts, ok := list(v)
	return ok && !slices.ContainsFunc(parts, func(part jsontext.Value) bool {
		_, ok := objectBuilder(part, "type", "text", "image_url", "input_audio", "file")
		return !ok
	})
}

func areTools(v jsontext.Value) bool {
	items, ok := list(v)
	return absent(v) || ok && !slices.ContainsFunc(items, func(item jsontext.Value) bool { return item.Kind() != '{' })
}

func areOptions(v jsontext.Value) bool {
	m, ok := objectBuilder(v, "include_usage", "include_obfuscation")
	return absent(v) || ok && oneOf(m["include_usage"], "tf") && oneOf(m["include_obfuscation"], "tf")
}

func isFormat(v jsontext.Value) bool {
	m, ok := objectBuilder(v, "type")
	return absent(v) || ok && oneOf(m["type"], `"`)
}

func isEmbeddings(body []byte) bool {
	m, ok := objectBuilder(body, "model", "input", "encoding_format", "dimensions")
	if !strictJSON(body) || !ok || !isName(m["model"]) {
		return false
	}
	format := string(m["encoding_format"])
	return (absent(m["encoding_format"]) || format == `"float"` || format == `"base64"`) &&
		(absent(m["dimensions"]) || isInteger(m["dimensions"], 1, 1<<16)) && isInput(m["input"])
}

func isInput(v jsontext.Value) bool {
	if v.Kind() == '"' {
		return string(v) != `""`
	}
	items, ok := list(v)
	if !ok || len(items) == 0 {
		return false
	}
	isToken := func(v jsontext.Value) bool { return isInteger(v, 0, math.MaxInt64) }
	isTokens := func(v jsontext.Value) bool {
		tokens, ok := list(v)
		return ok && len(tokens) > 0 && !slices.ContainsFunc(tokens, func(v jsontext.Value) bool { return !isToken(v) })
	}
	switch items[0].Kind() {
	case '0':
		return isTokens(v)
	case '[':
		return len(items) <= 2048 && !slices.ContainsFunc(items, func(v jsontext.Value) bool { return !isTokens(v) })
	}
	return len(items) <= 2048 && !slices.ContainsFunc(items, func(v jsontext.Value) bool { return v.Kind() != '"' || string(v) == `""` })
}
