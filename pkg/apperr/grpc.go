package apperr

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// errorDomain marks the ErrorInfo messages of Signalbox.
const errorDomain = "signalbox"

// detailsKey and noRetryKey are metadata keys of our ErrorInfo.
const (
	detailsKey = "details"
	noRetryKey = "no_retry"
)

// ToGRPC converts err to a gRPC status with code, message, details and retry delay. It leaves
// out the cause. If err wraps no Error, the result is an internal error.
func ToGRPC(err error) error {
	if err == nil {
		return nil
	}
	e := From(err)
	// gRPC drops the whole status if the message is not valid UTF-8.
	st := status.New(e.Code.Spec().GRPC, strings.ToValidUTF8(e.Message, "\uFFFD"))
	info := &errdetails.ErrorInfo{Reason: string(e.Code), Domain: errorDomain, Metadata: map[string]string{}}
	if e.NoRetry {
		info.Metadata[noRetryKey] = "true"
	}
	if len(e.Details) > 0 {
		// Details that cannot be encoded are a bug of the caller. Then the error is sent
		// without details.
		if b, err := json.Marshal(e.Details); err == nil {
			info.Metadata[detailsKey] = string(b)
		}
	}
	with, err := st.WithDetails(info)
	if err == nil && e.RetryAfter > 0 {
		with, err = with.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(e.RetryAfter)})
	}
	if err != nil {
		return st.Err()
	}
	return with.Err()
}

// FromGRPC converts a status of ToGRPC back to an Error. Numbers in the details become
// json.Number, so that amounts of money stay exact. An error without our ErrorInfo, such as a
// broken connection, is returned unchanged.
func FromGRPC(err error) error {
	st, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	var e *Error
	var delay time.Duration
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			e = decodeInfo(d, st.Message())
		case *errdetails.RetryInfo:
			delay = d.GetRetryDelay().AsDuration()
		}
	}
	if e == nil {
		return err
	}
	e.RetryAfter = delay
	e.cause = errors.New("returned by a peer service")
	return e
}

func decodeInfo(info *errdetails.ErrorInfo, message string) *Error {
	code := Code(info.GetReason())
	if info.GetDomain() != errorDomain || !code.IsKnown() {
		return nil
	}
	e := New(code, message)
	e.NoRetry = info.GetMetadata()[noRetryKey] != ""
	if raw := info.GetMetadata()[detailsKey]; raw != "" {
		d := json.NewDecoder(strings.NewReader(raw))
		d.UseNumber()
		_ = d.Decode(&e.Details)
	}
	return e
}
