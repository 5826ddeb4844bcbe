package grpcapi

import (
	"github.com/signalbox/signalbox/pkg/certs"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// Allow returns the roles that may call each method. The certificate of a peer contains
// its role. A proxy can request decisions and report outcomes, but cannot change the
// policy.
func Allow() map[string][]string {
	proxies := []string{certs.Proxy}
	managers := []string{certs.Dashboard, certs.Operator}
	readers := []string{certs.Proxy, certs.Dashboard}
	return map[string][]string{
		routerv1.RouterService_Decide_FullMethodName:         proxies,
		routerv1.RouterService_DecideStream_FullMethodName:   proxies,
		routerv1.RouterService_WatchPolicy_FullMethodName:    readers,
		routerv1.RouterService_ReportOutcomes_FullMethodName: proxies,

		routerv1.RouterService_ReportEvidence_FullMethodName: managers,
		routerv1.RouterService_ListLearned_FullMethodName:    managers,
		routerv1.RouterService_UseLearned_FullMethodName:     managers,

		routerv1.RouterService_Drain_FullMethodName:  managers,
		routerv1.RouterService_Resume_FullMethodName: managers,

		routerv1.RouterService_Status_FullMethodName:   managers,
		routerv1.PolicyService_Validate_FullMethodName: managers,
		routerv1.PolicyService_Publish_FullMethodName:  managers,
		routerv1.PolicyService_List_FullMethodName:     managers,
		routerv1.PolicyService_Get_FullMethodName:      managers,
		routerv1.PolicyService_Diff_FullMethodName:     managers,
		routerv1.PolicyService_Rollback_FullMethodName: managers,
		routerv1.PolicyService_Explain_FullMethodName:  managers,
		routerv1.PolicyService_Replay_FullMethodName:   managers,

		routerv1.PolicyService_StartRollout_FullMethodName:  managers,
		routerv1.PolicyService_ChangeRollout_FullMethodName: managers,
		routerv1.PolicyService_ListRollouts_FullMethodName:  managers,
	}
}
