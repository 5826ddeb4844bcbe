package failure

import "github.com/signalbox/signalbox/pkg/apperr"

// Subject is the property of a request by which a cause is grouped.
type Subject string

// The subjects. Their values are the fields of filters.
const (
	ByNothing  Subject = ""
	ByKey      Subject = "key"
	ByRequest  Subject = "requested_model"
	ByRule     Subject = "rule"
	ByProvider Subject = "provider" // the provider that served a part of the response
)

// place is where the next step is done.
type place int

const (
	atDocs place = iota // the documentation of the code
	atKey
	atAccount
	atModels
	atProviders // for operators; others get the documentation
	atPolicy    // for operators; others get the documentation
	atSystem    // for operators; others get the documentation
)

// cause explains one code. The texts contain {subject}, {limit} and {where}: the display
// name of the subject, the limit in words, and the endpoints that failed. {kind} is the kind
// of requests that the subject serves, and {asked} the kind of the group's requests.
type cause struct {
	subject Subject
	// happened follows the number of requests.
	happened string
	// action completes the sentence after a colon. Pages show it before the sentence, so it
	// must be clear alone and has at most 12 words. operator is the action for operators; it
	// is empty if theirs is the same.
	action, operator string
	next             place
}

const askOperator = "retry, or ask the operator"

// causes is the only place with these texts.
var causes = map[apperr.Code]cause{
	apperr.RateLimitExceeded:        {ByKey, "hit {subject}'s {limit}", "raise the limit or add a second key", "", atKey},
	apperr.ConcurrencyLimitExceeded: {ByKey, "hit {subject}'s {limit}", "raise the limit, or send fewer requests at the same time", "", atKey},
	apperr.BudgetExceeded:           {ByKey, "did not fit into {subject}'s {limit}", "raise the budget, or use cheaper models", "", atKey},
	apperr.MaxCostExceeded:          {ByKey, "of {subject} could cost more than their header X-Signalbox-Max-Cost allows", "raise the header, or lower max_tokens", "", atDocs},
	apperr.AuthForbidden:            {ByKey, "of {subject} used an endpoint that the key does not allow", "add the endpoint to the key", "", atKey},
	apperr.ModelNotAllowed:          {ByKey, "of {subject} asked for a model that the key does not allow", "change the key's models", "", atKey},
	apperr.AuthUnavailable:          {ByNothing, "could not be checked because the key service was unavailable", askOperator, "check that keyauth runs", atSystem},

	apperr.ModelNotFound:         {ByRequest, "asked for {subject}, which does not exist or has no provider", "use a name from the list of models", "add the model to the policy, or use a listed name", atModels},
	apperr.UnsupportedParameter:  {ByRequest, "used a field that {subject} does not support", "remove the field, or send model auto", "", atModels},
	apperr.NoEligibleRoute:       {ByRequest, "for {subject} fit no model that the policy and the key allow", "open a request to see why each model was excluded", "", atDocs},
	apperr.ContextLengthExceeded: {ByRequest, "for {subject} were longer than every model's context", "shorten the requests, or allow a model with a larger context", "", atModels},
	apperr.PolicyDenied:          {ByRule, "were denied by the policy rule {subject}", "ask the operator if the rule should not apply", "change the rule if it should not apply", atPolicy},
	apperr.ContentFiltered:       {ByNothing, "were rejected by a provider's content filter", "change the content", "", atDocs},
	apperr.ObjectNotFound:        {ByKey, "of {subject} referred to a stored object that the account does not have", "send the whole conversation, or check the id", "", atDocs},

	apperr.InvalidJSON:             {ByKey, "of {subject} were not valid JSON", "fix the client that uses this key", "", atDocs},
	apperr.InvalidRequest:          {ByKey, "of {subject} had a field with a wrong type or value", "open a request to see which field", "", atDocs},
	apperr.RequestTooLarge:         {ByKey, "of {subject} were larger than the limit", "send smaller bodies", "raise the limit, or send smaller bodies", atDocs},
	apperr.RequestTimeout:          {ByKey, "of {subject} did not arrive completely in time", "check the connection of the client", "", atDocs},
	apperr.UnsupportedMediaType:    {ByKey, "of {subject} had a content type that is not supported", "send uncompressed JSON", "", atDocs},
	apperr.HeadersTooLarge:         {ByKey, "of {subject} had too large headers", "send fewer or shorter headers", "", atDocs},
	apperr.ExpectationFailed:       {ByKey, "of {subject} had an unsupported Expect header", "remove the header", "", atDocs},
	apperr.HTTPVersionNotSupported: {ByKey, "of {subject} used an unsupported HTTP version", "use HTTP/1.1", "", atDocs},
	apperr.EndpointNotFound:        {ByKey, "of {subject} called a path that does not exist", "check the base URL: it must end in /proxy/v1", "", atDocs},
	apperr.MethodNotAllowed:        {ByKey, "of {subject} used a wrong HTTP method", "fix the client that uses this key", "", atDocs},
	apperr.ClientCancelled:         {ByKey, "of {subject} were closed by the client before the response was complete", "check the client's timeout if this is unexpected", "", atKey},

	apperr.NoRouteAvailable:         {ByRequest, "for {subject} found every model unavailable", "retry later", "check the health of the providers", atProviders},
	apperr.RoutingUnavailable:       {ByNothing, "could not be routed because the router was unavailable", askOperator, "check that the router runs", atSystem},
	apperr.GatewayOverloaded:        {ByNothing, "arrived while Signalbox was at its capacity", "retry later", "start more proxies if this goes on", atSystem},
	apperr.Internal:                 {ByNothing, "failed because of an unexpected error in Signalbox", "report the id of a request", "look up the id of a request in the log", atSystem},
	apperr.ProviderRateLimited:      {ByProvider, "were rate-limited by the provider{where}", askOperator + " to add another provider", "raise the quota at the provider, or add a fallback", atProviders},
	apperr.ProviderOverloaded:       {ByProvider, "failed because the provider was overloaded{where}", askOperator + " to add another provider", "add another provider as a fallback", atProviders},
	apperr.ProviderTimeout:          {ByProvider, "got no response from the provider in time{where}", askOperator + " to raise the timeout", "raise the provider's timeout, or add a fallback", atProviders},
	apperr.ProviderConnection:       {ByProvider, "could not reach the provider{where}", askOperator, "check the provider's address and the network", atProviders},
	apperr.ProviderUpstream:         {ByProvider, "failed at the provider{where}", askOperator, "check the provider, or add a fallback", atProviders},
	apperr.ProviderInvalidResponse:  {ByProvider, "got a response that could not be read{where}", askOperator, "check the provider's address and kind", atProviders},
	apperr.ProviderBadRequest:       {ByProvider, "were rejected by the provider because of their content{where}", "open a request to read the provider's message", "", atDocs},
	apperr.ProviderAuth:             {ByProvider, "failed because the provider rejected Signalbox's credential{where}", "ask the operator to replace the credential", "replace the provider's credential", atProviders},
	apperr.ProviderQuotaExhausted:   {ByProvider, "failed because the quota at the provider is used up{where}", "ask the operator to raise the quota", "raise the quota at the provider, or add another provider", atProviders},
	apperr.ProviderModelUnavailable: {ByProvider, "asked for a model that the provider does not serve{where}", "ask the operator to correct the model", "correct the model's name at this provider in the policy", atPolicy},
	apperr.ProviderInterrupted:      {ByProvider, "broke off in the middle of the response{where}", "send the requests again", "check the provider if this goes on", atProviders},
}

// otherKindCause is the cause of a ModelNotFound whose model serves another kind of request.
var otherKindCause = cause{ByRequest, "asked for {subject}, which is for {kind}, not for {asked}", "use a model for {asked}, or the endpoint for {kind}", "", atModels}

var unknownCause = cause{ByNothing, "failed with the code {code}", "open a request to see why", "", atDocs}

func (k Key) cause() cause {
	if k.OtherKind {
		return otherKindCause
	}
	if c, ok := causes[k.Code]; ok {
		return c
	}
	return unknownCause
}

// CodesBy returns the codes that are grouped by a subject.
func CodesBy(s Subject) (all []apperr.Code) {
	for _, code := range apperr.Codes() {
		if c, ok := causes[code]; ok && c.subject == s {
			all = append(all, code)
		}
	}
	return all
}
