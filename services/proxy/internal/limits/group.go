package limits

// Kinds of group budgets: what their selectors compare.
const (
	KindKey   = "key"
	KindTag   = "tag"
	KindUser  = "user"
	KindAgent = "agent"
)

// each as the value of a selector means that every value that no other budget of the kind names
// is a member with the amounts for itself.
const each = "*"

// maxGroupMembers limits the members of group budgets that an account has in this process.
// Clients choose users freely. Requests of further members share the budget of the requests
// that name none.
const maxGroupMembers = 5000

// Amounts holds the amounts of a group budget in nano-USD. Zero means no limit.
type Amounts struct {
	PerHour, PerDay, PerWeek, PerMonth, Total int64
}

func (a *Amounts) byWindow() [windowCount]int64 {
	return [windowCount]int64{a.PerHour, a.PerDay, a.PerWeek, a.PerMonth, a.Total}
}

// Budget is a group budget that can apply to the requests of a key. The key service leaves out
// budgets of tags that the key does not have.
type Budget struct {
	ID, Name, Kind, Value string
	Amounts               Amounts
}

// Identity is what the selectors of group budgets compare.
type Identity struct {
	KeyID, User, Agent string
	// UserHash identifies the user within the account. The members of a budget for each user
	// are hashes, because the record may not name the user, and a client chooses per request
	// whether it does.
	UserHash string
}

// Group is a group budget that applies to a request. Member is empty if the budget names its
// value, and for requests that name none.
type Group struct {
	*Budget
	Member string
}

// MatchBudgets returns the budgets that apply to a request: those that name its tag, user or
// agent, and those for each value if no other budget of the kind names the value.
func MatchBudgets(all []Budget, who *Identity) []Group {
	var found []Group
	for i := range all {
		b := &all[i]
		switch {
		case b.Kind == KindTag:
			found = append(found, Group{b, ""})
		case b.Kind == KindKey:
			found = append(found, Group{b, who.KeyID})
		case b.Value != each && b.Value == who.value(b.Kind):
			found = append(found, Group{b, ""})
		case b.Value == each && !isNamed(all, b.Kind, who.value(b.Kind)):
			found = append(found, Group{b, who.member(b.Kind)})
		}
	}
	return found
}

func isNamed(all []Budget, kind, value string) bool {
	for i := range all {
		if all[i].Kind == kind && all[i].Value != each && all[i].Value == value {
			return true
		}
	}
	return false
}

func (w *Identity) value(kind string) string {
	if kind == KindUser {
		return w.User
	}
	return w.Agent
}

func (w *Identity) member(kind string) string {
	if kind == KindUser {
		return w.UserHash
	}
	return w.Agent
}

// AddGroups adds group budgets to the admission, in the periods in which the request began. It
// must be called before Reserve, and at most once. It returns the ids of the counters, for the
// record.
func (p *Admission) AddGroups(groups []Group) []string {
	if p == nil || p.released || len(groups) == 0 {
		return nil
	}
	p.account.mu.Lock()
	defer p.account.mu.Unlock()
	ids := make([]string, 0, len(groups))
	for _, g := range groups {
		s := p.account.groupSubject(g.ID, g.Member)
		s.admissions++
		p.groups, ids = append(p.groups, s), append(ids, s.id.ID)
		amounts := g.Amounts.byWindow()
		s.amounts = &amounts
		for w, limit := range amounts {
			if limit > 0 {
				b := s.applyBudget(windowKind(w), limit, p.calendar)
				b.budgetName = g.Name
				p.budgets = append(p.budgets, b)
			}
		}
	}
	return ids
}

// groupSubject returns the limit state of a member of a group budget. If the account has too
// many members, it returns that of the member without a name.
func (a *account) groupSubject(budget, member string) *subject {
	id := budget
	if member != "" {
		id += "/" + member
	}
	if s := a.groups[id]; s != nil {
		return s
	}
	if len(a.groups) >= maxGroupMembers && member != "" {
		return a.groupSubject(budget, "")
	}
	if a.groups == nil {
		a.groups = map[string]*subject{}
	}
	s := newSubject(a.id, ScopeBudget, id)
	a.groups[id] = s
	return s
}

// SetStoredGroupSpend sets how much of a group budget is spent in a period according to the
// stored records. id is that of AddGroups. A sum that is lower than before is ignored, and so is
// a further member of an account that has too many.
func (k *Limiter) SetStoredGroupSpend(accountID, id, period string, nanoUSD int64) {
	w, ok := windowOf(period)
	if !ok {
		return
	}
	a := k.lockAccount(accountID)
	defer a.mu.Unlock()
	if a.groups[id] == nil && len(a.groups) >= maxGroupMembers {
		return
	}
	s := a.groupSubject(id, "")
	s.raiseStored(w, periodSpend{period, max(0, nanoUSD)})
	k.markActive(a, s)
}
