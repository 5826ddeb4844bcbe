package apperr

import (
	"net/http"

	"google.golang.org/grpc/codes"
)

// Code is the stable name of an error in HTTP, gRPC, records and metrics.
type Code string

// The codes of the proxy, followed by the codes of the dashboard API.
const (
	AuthMissingKey           Code = "AUTH_MISSING_KEY"
	AuthInvalidKey           Code = "AUTH_INVALID_KEY"
	AuthForbidden            Code = "AUTH_FORBIDDEN"
	ModelNotAllowed          Code = "MODEL_NOT_ALLOWED"
	AuthUnavailable          Code = "AUTH_UNAVAILABLE"
	InvalidJSON              Code = "INVALID_JSON"
	InvalidRequest           Code = "INVALID_REQUEST"
	UnsupportedParameter     Code = "UNSUPPORTED_PARAMETER"
	NoEligibleRoute          Code = "NO_ELIGIBLE_ROUTE"
	ContextLengthExceeded    Code = "CONTEXT_LENGTH_EXCEEDED"
	ContentFiltered          Code = "CONTENT_FILTERED"
	ModelNotFound            Code = "MODEL_NOT_FOUND"
	EndpointNotFound         Code = "ENDPOINT_NOT_FOUND"
	ObjectNotFound           Code = "OBJECT_NOT_FOUND"
	MethodNotAllowed         Code = "METHOD_NOT_ALLOWED"
	RequestTooLarge          Code = "REQUEST_TOO_LARGE"
	HeadersTooLarge          Code = "HEADERS_TOO_LARGE"
	ExpectationFailed        Code = "EXPECTATION_FAILED"
	HTTPVersionNotSupported  Code = "HTTP_VERSION_NOT_SUPPORTED"
	RequestTimeout           Code = "REQUEST_TIMEOUT"
	UnsupportedMediaType     Code = "UNSUPPORTED_MEDIA_TYPE"
	PolicyDenied             Code = "POLICY_DENIED"
	BudgetExceeded           Code = "BUDGET_EXCEEDED"
	MaxCostExceeded          Code = "MAX_COST_EXCEEDED"
	RateLimitExceeded        Code = "RATE_LIMIT_EXCEEDED"
	ConcurrencyLimitExceeded Code = "CONCURRENCY_LIMIT_EXCEEDED"
	NoRouteAvailable         Code = "NO_ROUTE_AVAILABLE"
	RoutingUnavailable       Code = "ROUTING_UNAVAILABLE"
	ProviderRateLimited      Code = "PROVIDER_RATE_LIMITED"
	ProviderOverloaded       Code = "PROVIDER_OVERLOADED"
	ProviderTimeout          Code = "PROVIDER_TIMEOUT"
	ProviderConnection       Code = "PROVIDER_CONNECTION_ERROR"
	ProviderUpstream         Code = "PROVIDER_UPSTREAM_ERROR"
	ProviderInvalidResponse  Code = "PROVIDER_INVALID_RESPONSE"
	ProviderBadRequest       Code = "PROVIDER_BAD_REQUEST"
	ProviderAuth             Code = "PROVIDER_AUTH_ERROR"
	ProviderQuotaExhausted   Code = "PROVIDER_QUOTA_EXHAUSTED"
	ProviderModelUnavailable Code = "PROVIDER_MODEL_UNAVAILABLE"
	ProviderInterrupted      Code = "PROVIDER_STREAM_INTERRUPTED"
	GatewayOverloaded        Code = "GATEWAY_OVERLOADED"
	Internal                 Code = "INTERNAL_ERROR"
	ClientCancelled          Code = "CLIENT_CANCELLED"

	SessionRequired  Code = "SESSION_REQUIRED"
	LoginFailed      Code = "LOGIN_FAILED"
	TooManyAttempts  Code = "TOO_MANY_ATTEMPTS"
	RegistrationOff  Code = "REGISTRATION_CLOSED"
	EmailTaken       Code = "EMAIL_TAKEN"
	TokenInvalid     Code = "TOKEN_INVALID"
	NotFound         Code = "NOT_FOUND"
	CrossOrigin      Code = "CROSS_ORIGIN_REFUSED"
	PolicyInvalid    Code = "POLICY_INVALID"
	PolicyTestFailed Code = "POLICY_TESTS_FAILED"
	PolicyConflict   Code = "POLICY_CONFLICT"
	PolicyReadOnly   Code = "POLICY_READ_ONLY"
	StoreUnavailable Code = "STORE_UNAVAILABLE"
)

// Spec defines how HTTP and gRPC represent a code.
type Spec struct {
	// Status is the HTTP status.
	Status int
	// GRPC is the status code between our services.
	GRPC codes.Code
	// Retryable means that the same call may succeed later. Clients see it in the
	// header x-should-retry.
	Retryable bool
}

// statusClientClosed is nginx's status for requests whose client closed the connection.
const statusClientClosed = 499

// codeSpecs defines every code. The HTTP statuses are chosen for the retry rules of client
// SDKs. An exceeded budget or maximum cost is 402, because SDKs retry 429 but not 402. The
// codes of the proxy never use 409 or 501, because SDKs retry them.
var codeSpecs = map[Code]Spec{
	AuthMissingKey:           {http.StatusUnauthorized, codes.Unauthenticated, false},
	AuthInvalidKey:           {http.StatusUnauthorized, codes.Unauthenticated, false},
	AuthForbidden:            {http.StatusForbidden, codes.PermissionDenied, false},
	ModelNotAllowed:          {http.StatusForbidden, codes.PermissionDenied, false},
	AuthUnavailable:          {http.StatusServiceUnavailable, codes.Unavailable, true},
	InvalidJSON:              {http.StatusBadRequest, codes.InvalidArgument, false},
	InvalidRequest:           {http.StatusBadRequest, codes.InvalidArgument, false},
	UnsupportedParameter:     {http.StatusBadRequest, codes.InvalidArgument, false},
	NoEligibleRoute:          {http.StatusBadRequest, codes.FailedPrecondition, false},
	ContextLengthExceeded:    {http.StatusBadRequest, codes.OutOfRange, false},
	ContentFiltered:          {http.StatusBadRequest, codes.FailedPrecondition, false},
	ModelNotFound:            {http.StatusNotFound, codes.NotFound, false},
	EndpointNotFound:         {http.StatusNotFound, codes.NotFound, false},
	ObjectNotFound:           {http.StatusNotFound, codes.NotFound, false},
	MethodNotAllowed:         {http.StatusMethodNotAllowed, codes.InvalidArgument, false},
	RequestTooLarge:          {http.StatusRequestEntityTooLarge, codes.ResourceExhausted, false},
	HeadersTooLarge:          {http.StatusRequestHeaderFieldsTooLarge, codes.ResourceExhausted, false},
	ExpectationFailed:        {http.StatusExpectationFailed, codes.InvalidArgument, false},
	HTTPVersionNotSupported:  {http.StatusHTTPVersionNotSupported, codes.InvalidArgument, false},
	RequestTimeout:           {http.StatusRequestTimeout, codes.DeadlineExceeded, true},
	UnsupportedMediaType:     {http.StatusUnsupportedMediaType, codes.InvalidArgument, false},
	PolicyDenied:             {http.StatusForbidden, codes.PermissionDenied, false},
	BudgetExceeded:           {http.StatusPaymentRequired, codes.ResourceExhausted, false},
	MaxCostExceeded:          {http.StatusPaymentRequired, codes.FailedPrecondition, false},
	RateLimitExceeded:        {http.StatusTooManyRequests, codes.ResourceExhausted, true},
	ConcurrencyLimitExceeded: {http.StatusTooManyRequests, codes.ResourceExhausted, true},
	NoRouteAvailable:         {http.StatusServiceUnavailable, codes.Unavailable, true},
	RoutingUnavailable:       {http.StatusServiceUnavailable, codes.Unavailable, true},
	ProviderRateLimited:      {http.StatusTooManyRequests, codes.ResourceExhausted, true},
	ProviderOverloaded:       {http.StatusServiceUnavailable, codes.Unavailable, true},
	ProviderTimeout:          {http.StatusGatewayTimeout, codes.DeadlineExceeded, true},
	ProviderConnection:       {http.StatusBadGateway, codes.Unavailable, true},
	ProviderUpstream:         {http.StatusBadGateway, codes.Unavailable, true},
	ProviderInvalidResponse:  {http.StatusBadGateway, codes.DataLoss, true},
	ProviderBadRequest:       {http.StatusBadRequest, codes.InvalidArgument, false},
	ProviderAuth:             {http.StatusBadGateway, codes.FailedPrecondition, false},
	ProviderQuotaExhausted:   {http.StatusServiceUnavailable, codes.ResourceExhausted, false},
	ProviderModelUnavailable: {http.StatusBadGateway, codes.FailedPrecondition, false},
	ProviderInterrupted:      {http.StatusOK, codes.Aborted, false},
	GatewayOverloaded:        {http.StatusServiceUnavailable, codes.Unavailable, true},
	Internal:                 {http.StatusInternalServerError, codes.Internal, true},
	ClientCancelled:          {statusClientClosed, codes.Canceled, false},

	SessionRequired:  {http.StatusUnauthorized, codes.Unauthenticated, false},
	LoginFailed:      {http.StatusUnauthorized, codes.Unauthenticated, false},
	TooManyAttempts:  {http.StatusTooManyRequests, codes.ResourceExhausted, true},
	RegistrationOff:  {http.StatusForbidden, codes.PermissionDenied, false},
	EmailTaken:       {http.StatusConflict, codes.AlreadyExists, false},
	TokenInvalid:     {http.StatusForbidden, codes.PermissionDenied, false},
	NotFound:         {http.StatusNotFound, codes.NotFound, false},
	CrossOrigin:      {http.StatusForbidden, codes.PermissionDenied, false},
	PolicyInvalid:    {http.StatusUnprocessableEntity, codes.InvalidArgument, false},
	PolicyTestFailed: {http.StatusUnprocessableEntity, codes.FailedPrecondition, false},
	PolicyConflict:   {http.StatusConflict, codes.Aborted, false},
	PolicyReadOnly:   {http.StatusConflict, codes.FailedPrecondition, false},
	StoreUnavailable: {http.StatusServiceUnavailable, codes.Unavailable, true},
}

// Spec returns the specification of the code. An unknown code has that of Internal.
func (c Code) Spec() Spec {
	if s, ok := codeSpecs[c]; ok {
		return s
	}
	return codeSpecs[Internal]
}

// IsKnown reports whether the code is defined.
func (c Code) IsKnown() bool {
	_, ok := codeSpecs[c]
	return ok
}
