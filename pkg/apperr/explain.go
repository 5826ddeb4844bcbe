package apperr

import "slices"

// Explanation describes a code for people. The documentation is generated from it.
type Explanation struct {
	// Meaning is what happened, in whole sentences.
	Meaning string
	// Action is what to do next, in whole sentences.
	Action string
}

// Explain returns the explanation of a code. It is empty for an unknown code.
func (c Code) Explain() Explanation { return explanations[c] }

// Codes returns every code in alphabetical order.
func Codes() []Code {
	all := make([]Code, 0, len(codeSpecs))
	for c := range codeSpecs {
		all = append(all, c)
	}
	slices.Sort(all)
	return all
}

var explanations = map[Code]Explanation{
	AuthMissingKey: {"The request has no API key.",
		"Send the key in the header `Authorization: Bearer sbx_live_…`."},
	AuthInvalidKey: {"The key is unknown, revoked or expired.",
		"Check that the whole key was copied, or create a new key on the page Keys."},
	AuthForbidden: {"The key or the session is valid, but is not allowed to do this.",
		"For a key, add the scope that `details` names. For the dashboard, ask an owner of the account for the required role."},
	ModelNotAllowed: {"The key is restricted to other models and routes.",
		"Use a model that the key allows, or change the key's list of models."},
	AuthUnavailable: {"The key could not be verified because the key service is unavailable.",
		"Retry. Keys that a proxy has seen recently continue to work in the meantime."},
	InvalidJSON: {"The body is not a single JSON object.",
		"Fix the body. `details.offset` is the byte at which reading failed."},
	InvalidRequest: {"A field of the request has the wrong type or value.",
		"Fix the field that `details.param` names."},
	UnsupportedParameter: {"The model in the request does not support one of the request's fields.",
		"Remove the field, or set `model` to `auto`. Signalbox then chooses a model that supports the field."},
	NoEligibleRoute: {"No model that the policy and the key allow can serve the request.",
		"`details` lists why each model was excluded. Change the request, the key or the policy."},
	ContextLengthExceeded: {"The request is longer than the context window of every model that could serve it.",
		"Shorten the conversation, or allow a model with a larger window."},
	ContentFiltered: {"The provider's content filter rejected the request.",
		"Change the content."},
	ModelNotFound: {"The model or route does not exist, or no configured provider serves it.",
		"List the names with `GET /proxy/v1/models`. If there is a similar name, `details.did_you_mean` contains it."},
	EndpointNotFound: {"The URL path does not exist.",
		"Check the base URL: it must end in `/proxy/v1`."},
	MethodNotAllowed: {"The URL path exists, but does not support this HTTP method.",
		"Use a method that the header `Allow` lists."},
	RequestTooLarge: {"The body is larger than the limit in `details.limit_bytes`.",
		"Send a smaller body, or ask the operator to raise the limit."},
	HeadersTooLarge: {"The request headers are too large.",
		"Send fewer or shorter headers."},
	ExpectationFailed: {"The header `Expect` has a value other than `100-continue`.",
		"Remove the header."},
	RequestTimeout: {"The client did not send its whole request in time.",
		"Retry, and check the connection between the client and Signalbox."},
	UnsupportedMediaType: {"The body has a content type or an encoding that is not supported.",
		"Send uncompressed JSON with `Content-Type: application/json`."},
	PolicyDenied: {"A rule of the routing policy denies the request.",
		"The operator wrote the message, and `details` names the rule. If the rule should not apply, ask the operator."},
	BudgetExceeded: {"The budget of the key or the account is spent, or does not cover the estimated cost of the request.",
		"Set `max_tokens`, use a cheaper model, raise the budget, or wait until the time in `details.limit.reset_at`."},
	RateLimitExceeded: {"The key or the account has reached its limit of requests or tokens per minute.",
		"Wait for the time in the header `Retry-After`, or raise the limit."},
	ConcurrencyLimitExceeded: {"The key or the account has too many concurrent requests.",
		"Retry when other requests have finished, or raise the limit."},
	NoRouteAvailable: {"Models exist for the request, but all of them are unavailable at the moment.",
		"Retry after the time in `Retry-After`."},
	RoutingUnavailable: {"The router is unavailable, and the proxy has no copy of the policy to decide on its own.",
		"Retry. If the error persists, check that the router is running."},
	ProviderRateLimited: {"The provider rate-limited the request, and no other candidate could serve it.",
		"Retry after the time in `Retry-After`, or add another provider as a fallback."},
	ProviderOverloaded: {"The provider is overloaded, and no other candidate could serve the request.",
		"Retry, or add another provider as a fallback."},
	ProviderTimeout: {"The provider did not respond in time.",
		"Retry, or raise the timeout of the provider in the policy."},
	ProviderConnection: {"The provider could not be reached.",
		"Retry. If the error persists, check the provider's `base_url` and the network."},
	ProviderUpstream: {"Every attempt failed at the providers.",
		"Retry. `details.attempts` lists each attempt with its error."},
	ProviderInvalidResponse: {"The provider sent a response that could not be read.",
		"Retry. If the error persists, check that `base_url` points at an API of the configured kind."},
	ProviderBadRequest: {"The provider rejected the content of the request. The message comes from the provider.",
		"Change the request according to the message."},
	ProviderAuth: {"The provider rejected Signalbox's credential.",
		"Operators: check the provider's credential on the page Providers."},
	ProviderQuotaExhausted: {"Signalbox's quota at the provider is exhausted.",
		"Operators: raise the quota at the provider, or add another provider."},
	ProviderModelUnavailable: {"The provider does not serve the model, although the policy or the catalog lists it.",
		"Operators: remove the model from the provider, or correct the upstream name of the model in the policy."},
	ProviderInterrupted: {"The provider stopped in the middle of a stream. The status was already 200, so the error is an event of the stream.",
		"Send the request again. The text that was sent before the error is incomplete."},
	GatewayOverloaded: {"Signalbox has reached its capacity, or it is shutting down.",
		"Retry after the time in `Retry-After`. Operators: start more proxies if the error persists."},
	Internal: {"An unexpected error occurred in Signalbox.",
		"Retry. If the error persists, report `details.request_id`: the log of the service contains the cause."},
	ClientCancelled: {"The client closed the connection before the response was complete. Only records and logs show this code.",
		"Check the client's timeout if this is unexpected."},
	SessionRequired: {"The dashboard's API needs a session, but the request has none or it has expired.",
		"Sign in to the dashboard. Scripts can use the `signalbox` command instead."},
	LoginFailed: {"The e-mail address or the password is wrong.",
		"Try again, or ask an owner of the account for a link that resets the password."},
	TooManyAttempts: {"There were too many attempts to sign in.",
		"Wait for the time in `Retry-After`."},
	RegistrationOff: {"New accounts can be created by invitation only, or not at all.",
		"Ask the operator for an invitation."},
	EmailTaken: {"Another user has this e-mail address.",
		"Sign in with it, or use another address."},
	TokenInvalid: {"The link was used already, has expired or is incomplete.",
		"Ask for a new link."},
	NotFound: {"The object does not exist in this account.",
		"Check the id."},
	CrossOrigin: {"A browser sent the request from another site.",
		"Open the dashboard at its own address. Operators: set `--public-url` if a proxy changes the host name."},
	PolicyInvalid: {"The policy document has problems.",
		"Fix the problems in `details.problems`; each has a line, a column and a message."},
	PolicyTestFailed: {"The tests in the policy document fail.",
		"Fix the document or the tests that `details` lists."},
	PolicyConflict: {"Another version of the policy was published in the meantime.",
		"Compare your draft with the active version and publish again."},
	PolicyReadOnly: {"The policy comes from a file, so it cannot be changed here.",
		"Edit the file that `--config` names."},
	StoreUnavailable: {"The database is unavailable or too slow.",
		"Retry. Requests through the proxy are not affected, and no record is lost."},
}
