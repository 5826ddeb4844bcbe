package grpcapi

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func (s *keyServer) VerifyKey(ctx context.Context, req *keyauthv1.VerifyKeyRequest) (*keyauthv1.VerifyKeyResponse, error) {
	var digest apikey.Digest
	if copy(digest[:], req.GetDigest()) != len(digest) || len(req.GetDigest()) != len(digest) {
		return nil, apperr.New(apperr.InvalidRequest, "the digest must have 32 bytes").With("param", "digest")
	}
	p, err := s.domain.Keys.Verify(ctx, digest)
	return &keyauthv1.VerifyKeyResponse{Principal: principalToProto(p)}, err
}
