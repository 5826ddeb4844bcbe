package codec

import (
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func rolloutFromProto(m *recordv1.Rollout) *record.Rollout {
	if m == nil {
		return nil
	}
	return &record.Rollout{
		ID: limitText(m.GetId()), Stable: limitText(m.GetStableVersion()), Candidate: limitText(m.GetCandidateVersion()), Share: m.GetShare(),
	}
}

func rolloutToProto(r *record.Rollout) *recordv1.Rollout {
	if r == nil {
		return nil
	}
	return &recordv1.Rollout{
		Id: toValidUTF8(r.ID), StableVersion: toValidUTF8(r.Stable), CandidateVersion: toValidUTF8(r.Candidate), Share: r.Share,
	}
}
