// The actions of the audit log.

/** What an action did, as the end of a sentence that starts with its author. */
export const actionTexts: Record<string, string> = {
  'account.create': 'created the account', 'account.update': 'changed the account', 'account.claim': 'set up the operator account with the claim link', 'account.renew_claim': 'created a new claim link',
  'key.create': 'created the key', 'key.update': 'changed the key', 'key.rotate': 'rotated the key', 'key.revoke': 'revoked the key',
  'budget.create': 'created the budget', 'budget.update': 'changed the budget', 'budget.remove': 'removed the budget',
  'invite.create': 'created an invite', 'invite.revoke': 'revoked an invite', 'invite.accept': 'accepted an invite',
  'token.create': 'created the API token', 'token.revoke': 'revoked the API token',
  'user.provision': 'joined with single sign-on', 'user.link': 'linked a single sign-on', 'user.keep_role': 'kept the owner role that the single sign-on would have lowered',
  'user.role': 'changed the role of', 'user.remove': 'removed', 'session.end': 'ended a session', 'sessions.end': 'ended sessions',
  'webhook.rotate_secret': 'created a new signing secret', 'webhook.test': 'tested the webhook', 'webhook.give_up': 'could not deliver a webhook notice',
  'alert.create': 'created the alert', 'alert.update': 'changed the alert', 'alert.delete': 'deleted the alert',
  'alert.create_channel': 'created the alert channel', 'alert.update_channel': 'changed the alert channel', 'alert.delete_channel': 'deleted the alert channel',
  'policy.publish': 'published a policy', 'policy.rollback': 'rolled the policy back',
  'provider.drain': 'drained', 'provider.resume': 'resumed',
  'rollout.start': 'started a rollout', 'rollout.advance': 'advanced the rollout', 'rollout.halt': 'halted the rollout', 'rollout.roll_back': 'rolled the rollout back', 'rollout.complete': 'completed the rollout', 'rollout.supersede': 'ended the rollout with another version',
  'password.change': 'changed their password', 'password.reset': 'created a password reset link', 'password.set': 'set a new password',
}

/** The groups of actions that the filter offers. Operator groups only occur in the operator account. */
export const actionGroups: { value: string; name: string; operator?: true }[] = [
  { value: '', name: 'All actions' }, { value: 'key', name: 'Keys' }, { value: 'token', name: 'API tokens' }, { value: 'user', name: 'Roles and removed users' }, { value: 'invite', name: 'Invites' },
  { value: 'session', name: 'One ended session' }, { value: 'sessions', name: 'All ended sessions of a user' }, { value: 'password', name: 'Passwords' },
  { value: 'account', name: 'Account settings' }, { value: 'webhook', name: 'Webhook' }, { value: 'alert', name: 'Alerts and their channels' }, { value: 'budget', name: 'Budgets and their notices' },
  { value: 'policy', name: 'Policy', operator: true }, { value: 'rollout', name: 'Rollouts', operator: true }, { value: 'provider', name: 'Drained providers', operator: true },
]

/** The filter of the audit log, as it is in the address. */
export interface AuditFilter {
  action: string
  user: string
  /** Days such as 2026-11-17, in UTC. Both are included. */
  from: string
  to: string
}

export const noFilter: AuditFilter = { action: '', user: '', from: '', to: '' }

/** Reads the filter from the address. */
export function readFilter(p: URLSearchParams): AuditFilter {
  return { action: p.get('action') ?? '', user: p.get('user') ?? '', from: p.get('from') ?? '', to: p.get('to') ?? '' }
}

/** Returns the parameters of the API. The API excludes its upper bound, so it gets the day after. */
export function filterQuery(f: AuditFilter): Record<string, string> {
  return { action: f.action, user: f.user.trim(), from: f.from, to: f.to ? dayAfter(f.to) : '' }
}

function dayAfter(day: string): string {
  const at = Date.parse(day + 'T00:00:00Z')
  return Number.isNaN(at) ? day : new Date(at + 86_400_000).toISOString().slice(0, 10)
}
