package lane

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// contentType and the names by which gRPC says how a stream has ended.
const (
	contentType   = "application/grpc"
	statusField   = "grpc-status"
	messageField  = "grpc-message"
	detailsField  = "grpc-status-details-bin"
	statusOfHTTP2 = "status"
)

// fields are names and values in turn, packed.
func fields(pairs ...string) []byte {
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	for i := 0; i < len(pairs); i += 2 {
		_ = enc.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}) // a buffer takes all
	}
	return block.Bytes()
}

func headers(block []byte, last bool) http2.HeadersFrameParam {
	return http2.HeadersFrameParam{StreamID: id, BlockFragment: block, EndStream: last, EndHeaders: true}
}

// beginning is how a server begins its side of a stream.
var beginning = []string{":status", "200", "content-type", contentType}

// ending is the last headers of a stream, behind what they begin with.
func ending(st *status.Status, begin ...string) []byte {
	pairs := append(slices.Clone(begin), statusField, strconv.Itoa(int(st.Code())), messageField, url.PathEscape(st.Message()))
	if details, err := proto.Marshal(st.Proto()); err == nil && len(st.Details()) > 0 {
		pairs = append(pairs, detailsField, base64.RawStdEncoding.EncodeToString(details))
	}
	return fields(pairs...)
}

// verdict is what the server's headers say: nothing at the beginning, and at the
// end its status.
func verdict(f *http2.MetaHeadersFrame) error {
	said := map[string]string{}
	for _, h := range f.RegularFields() {
		said[h.Name] = h.Value
	}
	code, ended := said[statusField]
	if !ended && !f.StreamEnded() && f.PseudoValue(statusOfHTTP2) == "200" {
		return nil
	}
	n, err := strconv.ParseUint(code, 10, 8)
	switch {
	case err != nil:
		return fmt.Errorf("the server answers with status %s", f.PseudoValue(statusOfHTTP2))
	case n == 0:
		return io.EOF
	}
	return failure(codes.Code(n), said[messageField], said[detailsField])
}

// failure is a status as it was sent; details that cannot be read are left out.
func failure(code codes.Code, text, details string) error {
	data, err := base64.RawStdEncoding.DecodeString(details)
	var full statuspb.Status
	if err == nil && len(data) > 0 && proto.Unmarshal(data, &full) == nil && full.GetCode() == int32(code) { //nolint:gosec // at most 255
		return status.FromProto(&full).Err()
	}
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return status.Error(code, text)
}
