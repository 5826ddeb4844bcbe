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

// errorDomain identifies our ErrorInfo.
const errorDomain = "signalbox"

// Metadata keys of our ErrorInfo.
const (
	detailsKey = "details"
	noRetryKey = "no_retry"
)

// ToGRPC converts err to a gRPC status with code, message, details and delay, but
// without the cause. An err that contains no Error becomes an internal error.
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
		// Details that cannot be encoded are a bug of the caller. Send the error
		// without them.
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

// FromGRPC restores an error that ToGRPC sent. Numbers in the details become
// json.Number, so that amounts of money stay exact. Errors without our ErrorInfo,
// such as a broken connection, are returned unchanged.
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
