package dashboard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// description is /api/v1/openapi.json.
type description struct {
	Paths      map[string]map[string]operation
	Components struct {
		Schemas    map[string]schema
		Parameters map[string]parameter
	}
}

type operation struct {
	Who         string `json:"x-permission"`
	OperationID string
	Parameters  []parameter
	RequestBody *content
	Responses   map[string]content
}

type content struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema schema }
}

type parameter struct {
	Ref  string `json:"$ref"`
	Name string
	In   string
}

func described(t *testing.T, b *browser) *description {
	a := b.api("GET", "/openapi.json", "")
	require.Equal(t, 200, a.status)
	var d description
	require.NoError(t, json.Unmarshal([]byte(a.body), &d))
	return &d
}

// schema returns the named schema, or one that matches nothing.
func (d *description) schema(ref string) schema {
	return d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
}

// queries returns the names of an operation's query parameters.
func (d *description) queries(o operation) (names []string) {
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
		}
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}

// answered checks a response against the description.
func (d *description) answered(o operation, a response) error {
	if a.status >= 400 {
		return d.checkText(schema{Ref: "Error"}, a.body)
	}
	response, ok := o.Responses[strconv.Itoa(a.status)]
	if !ok {
		return fmt.Errorf("status %d is not described", a.status)
	}
	if len(response.Content) == 0 {
		if a.body != "" {
			return fmt.Errorf("there is a body: %s", a.body)
		}
		return nil
	}
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil {
		return err
	}
	is, ok := response.Content[kind]
	if !ok {
		return fmt.Errorf("%s is not described", kind)
	}
	if kind != "application/json" {
		return nil
	}
	return d.checkText(is.Schema, a.body)
}

func (d *description) checkText(s schema, text string) error {
	v, err := decoded(text)
	if err != nil {
		return err
	}
	return d.check(s, v, "body")
}

func decoded(text string) (v any, err error) {
	in := json.NewDecoder(bytes.NewReader([]byte(text)))
	in.UseNumber()
	err = in.Decode(&v)
	return v, err
}

// TestTheDescriptionHasEveryRoute also compares who may call each route.
func TestTheDescriptionHasEveryRoute(t *testing.T) {
	d := described(t, newTestEnv(t, "").browser())
	var want, got []string
	for _, r := range routes(t) {
		if r.api() {
			want = append(want, r.who+" "+r.method+" "+strings.TrimPrefix(r.path, "/api/v1"))
		}
	}
	ids := map[string]bool{}
	for path, all := range d.Paths {
		for method, o := range all {
			got = append(got, o.Who+" "+strings.ToUpper(method)+" "+path)
			require.False(t, ids[o.OperationID], o.OperationID)
			ids[o.OperationID] = true
			require.Equal(t, "#/components/responses/Error", o.Responses["default"].Ref, path)
		}
	}
	require.ElementsMatch(t, want, got)
}

// TestTheDescriptionHasEveryParameter checks that handlers accept exactly the
// described parameters.
func TestTheDescriptionHasEveryParameter(t *testing.T) {
	operator := newTestEnv(t, "").claimOperator()
	d := described(t, operator)
	asked := 0
	for path, all := range d.Paths {
		queries := d.queries(all["get"])
		if len(queries) == 0 {
			continue
		}
		asked++
		details := operator.api("GET", path+"?nope=1", "").requireError(t, 400, "INVALID_REQUEST")
		require.Equal(t, "nope", details["param"], path)
		require.ElementsMatch(t, queries, details["allowed"], path)
	}
	require.NotZero(t, asked)
}

// TestTheDescriptionHasWhatBodiesTake checks that handlers accept every described
// body field.
func TestTheDescriptionHasWhatBodiesTake(t *testing.T) {
	h := newTestEnv(t, "")
	operator := h.claimOperator()
	d := described(t, operator)
	for path, all := range d.Paths {
		for method, o := range all {
			if o.RequestBody == nil {
				continue
			}
			who := operator
			if o.Who == "public" { // may replace the session
				who = h.browser()
			}
			send := func(body string) response {
				return who.api(strings.ToUpper(method), strings.ReplaceAll(path, "{id}", "x"), body)
			}
			details := send(`{"nope":1}`).requireError(t, 400, "INVALID_REQUEST")
			require.Equal(t, "nope", details["param"], path)
			s := d.schema(o.RequestBody.Content["application/json"].Schema.Ref)
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				require.NotContains(t, send(`{"`+name+`":null}`).body, "unknown field", path)
				for inner := range s.Properties[name].Properties {
					require.NotContains(t, send(`{"`+name+`":{"`+inner+`":null}}`).body, "unknown field", path)
				}
			}
		}
	}
}
