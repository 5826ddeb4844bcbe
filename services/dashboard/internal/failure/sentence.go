package failure

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// NextStep is the page on which the reader can remove the cause.
type NextStep struct{ Text, Link string }

// Endpoint is a model at a provider.
type Endpoint struct{ Provider, Model string }

// FailsAtProvider reports whether the group's code is about a provider. Its sentence then
// names the endpoints that failed.
func (g *Group) FailsAtProvider() bool { return g.cause().subject == ByProvider }

// Sentence says what happened and what to do: "14 requests hit ci's limit of 3 requests per
// minute: raise the limit or add a second key". It ends with the action. failed are the endpoints that failed, the most
// frequent first.
func (g *Group) Sentence(operator bool, failed []Endpoint) string {
	kind, asked := findKinds(g.NewestError)
	happened := strings.NewReplacer(
		"{subject}", g.subjectName(), "{limit}", describeLimit(g.NewestError, "limit"), "{where}", describeEndpoints(failed), "{code}", g.codeName(),
		"{kind}", kind, "{asked}", asked,
	).Replace(g.cause().happened)
	return countRequests(g.Requests) + " " + happened + ": " + g.Action(operator)
}

// Action says what to do, as the end of the sentence does.
func (g *Group) Action(operator bool) string {
	c := g.cause()
	action := c.action
	if operator && c.operator != "" {
		action = c.operator
	}
	if g.Account {
		action = strings.ReplaceAll(action, " or add a second key", "")
	}
	kind, asked := findKinds(g.NewestError)
	return strings.NewReplacer("{kind}", kind, "{asked}", asked).Replace(action)
}

func (g *Group) codeName() string {
	if g.Code == "" {
		return "unknown"
	}
	return string(g.Code)
}

func (g *Group) subjectName() string {
	switch {
	case g.Account:
		return "the account"
	case g.Name != "":
		return g.Name
	case g.Subject != "":
		return g.Subject
	case g.cause().subject == ByKey:
		return "a key"
	}
	return "an unnamed model"
}

func countRequests(n int64) string {
	if n == 1 {
		return "1 request"
	}
	return groupDigits(n) + " requests"
}

// groupDigits formats a number with commas, as the pages do.
func groupDigits(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func describeEndpoints(all []Endpoint) string {
	switch len(all) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (%s at %s)", all[0].Model, all[0].Provider)
	}
	return fmt.Sprintf(" (mostly %s at %s)", all[0].Model, all[0].Provider)
}

// Next returns the next step.
func (g *Group) Next(operator bool) NextStep {
	c := g.cause()
	switch {
	case c.next == atKey && g.Account:
		return NextStep{"Edit the account's limits", "/account"}
	case c.next == atKey && g.Subject != "":
		return NextStep{"Open key " + g.subjectName(), "/keys/" + url.PathEscape(g.Subject)}
	case c.next == atModels:
		return NextStep{"View models", "/models"}
	case c.next == atProviders && operator:
		return NextStep{"View providers", "/providers"}
	case c.next == atPolicy && operator:
		return NextStep{"Open the policy", "/policy"}
	case c.next == atSystem && operator:
		return NextStep{"View system", "/system"}
	}
	return NextStep{"Read about this error", DocsLink(g.Code)}
}

// DocsLink returns the section of the documentation about a code.
func DocsLink(code apperr.Code) string {
	if !code.IsKnown() {
		return "/docs/errors#codes"
	}
	return "/docs/errors#" + string(code)
}
