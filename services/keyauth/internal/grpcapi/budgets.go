package grpcapi

import (
	"context"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

func (s *accountServer) ListBudgets(ctx context.Context, req *keyauthv1.ListBudgetsRequest) (*keyauthv1.ListBudgetsResponse, error) {
	list, spent, err := s.domain.GroupBudgets(ctx, actorFromProto(ctx, req))
	return &keyauthv1.ListBudgetsResponse{Budgets: mapSlice(list, budgetToProto), Spent: mapSlice(spent, groupSpentToProto)}, err
}

func (s *accountServer) SetBudget(ctx context.Context, req *keyauthv1.SetBudgetRequest) (*keyauthv1.SetBudgetResponse, error) {
	b, err := s.domain.SetBudget(ctx, actorFromProto(ctx, req), budgetFromProto(req.GetBudget()))
	return &keyauthv1.SetBudgetResponse{Budget: budgetToProto(b)}, err
}

func (s *accountServer) RemoveBudget(ctx context.Context, req *keyauthv1.RemoveBudgetRequest) (*keyauthv1.RemoveBudgetResponse, error) {
	return &keyauthv1.RemoveBudgetResponse{}, s.domain.RemoveBudget(ctx, actorFromProto(ctx, req), req.GetName())
}

func budgetFromProto(b *keyauthv1.Budget) setting.Budget {
	a := b.GetAmounts()
	return setting.Budget{Name: b.GetName(), Kind: b.GetKind(), Value: b.GetValue(), Amounts: spend.Budget{
		NanoUSDPerHour: a.GetNanoUsdPerHour(), NanoUSDPerDay: a.GetNanoUsdPerDay(), NanoUSDPerWeek: a.GetNanoUsdPerWeek(),
		NanoUSDPerMonth: a.GetNanoUsdPerMonth(), NanoUSDTotal: a.GetNanoUsdTotal(),
	}}
}

func budgetToProto(b setting.Budget) *keyauthv1.Budget {
	a := b.Amounts
	return &keyauthv1.Budget{Id: b.ID, Name: b.Name, Kind: b.Kind, Value: b.Value, Amounts: &keyauthv1.BudgetAmounts{
		NanoUsdPerHour: a.NanoUSDPerHour, NanoUsdPerDay: a.NanoUSDPerDay, NanoUsdPerWeek: a.NanoUSDPerWeek,
		NanoUsdPerMonth: a.NanoUSDPerMonth, NanoUsdTotal: a.NanoUSDTotal,
	}}
}

func groupSpentToProto(s spend.GroupSpend) *keyauthv1.Spent {
	return &keyauthv1.Spent{AccountId: s.AccountID, Budget: s.Budget, Period: string(s.Period), NanoUsd: s.NanoUSD}
}
