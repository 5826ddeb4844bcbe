package apperr

import "net/http"

type responsesBody struct {
	Error   responsesError `json:"error"`
	Code    Code           `json:"code"`
	Details Details        `json:"details"`
}

type responsesError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   any    `json:"param"`
	Code    Code   `json:"code"`
}

func (e *Error) responsesBody(details Details) responsesBody {
	inner := responsesError{Message: e.messageOrCode(), Type: e.nestedType(), Param: details["param"], Code: e.Code}
	return responsesBody{Error: inner, Code: e.Code, Details: details}
}

type anthropicBody struct {
	Type      string         `json:"type"`
	Error     anthropicError `json:"error"`
	RequestID any            `json:"request_id"`
	Code      Code           `json:"code"`
	Details   Details        `json:"details"`
}

type anthropicError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func (e *Error) anthropicBody(details Details) anthropicBody {
	inner := anthropicError{Type: e.anthropicType(), Message: e.messageOrCode()}
	return anthropicBody{Type: "error", Error: inner, RequestID: details["request_id"], Code: e.Code, Details: details}
}

// nativeStatus returns the status that vendors would send for the error. An error that is only
// known after a response with status 200 has started counts as an error of the upstream.
func (e *Error) nativeStatus() int {
	if status := e.Code.Spec().Status; status >= http.StatusBadRequest {
		return status
	}
	return http.StatusBadGateway
}

// anthropicType returns the error type that Anthropic sends with the status of the error.
func (e *Error) anthropicType() string {
	switch status := e.nativeStatus(); status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusPaymentRequired:
		return "billing_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	case http.StatusServiceUnavailable:
		return "overloaded_error"
	default:
		if status < http.StatusInternalServerError {
			return "invalid_request_error"
		}
		return "api_error"
	}
}

type geminiBody struct {
	Error   geminiError `json:"error"`
	Code    Code        `json:"code"`
	Details Details     `json:"details"`
}

type geminiError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
}

func (e *Error) geminiBody(details Details) geminiBody {
	inner := geminiError{Code: e.nativeStatus(), Message: e.messageOrCode(), Status: e.geminiStatus()}
	return geminiBody{Error: inner, Code: e.Code, Details: details}
}

// geminiStatus returns the name of the gRPC status that Google sends with the status of the
// error.
func (e *Error) geminiStatus() string {
	switch status := e.nativeStatus(); status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden, http.StatusPaymentRequired:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	case http.StatusServiceUnavailable, http.StatusBadGateway:
		return "UNAVAILABLE"
	default:
		if status < http.StatusInternalServerError {
			return "INVALID_ARGUMENT"
		}
		return "INTERNAL"
	}
}
