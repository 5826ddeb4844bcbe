// The account: settings, budgets, people, invites, the user's own sign-ins, API tokens, and the audit log. Each
// has its own address.
import { useEffect } from 'preact/hooks'
import { boot } from '../../boot'
import { escapeInvisible } from '../../format'
import { navigate, params } from '../../router'
import { AuditLog } from './auditlog'
import { Budgets } from './budgets'
import { Invites } from './invites'
import { Settings } from './settings'
import { Password, SignIns } from './signin'
import { Tokens } from './tokens'
import { Users } from './users'

const sections = [
  { path: '', name: 'Settings', component: Settings },
  { path: 'budgets', name: 'Budgets', component: Budgets },
  { path: 'people', name: 'People', component: Users },
  { path: 'invites', name: 'Invites', component: Invites },
  { path: 'sign-ins', name: 'Sign-ins and password', component: SignInsAndPassword },
  { path: 'tokens', name: 'API tokens', component: Tokens },
  { path: 'audit', name: 'Audit log', component: AuditLog },
]

/** The addresses that the sections had when they were tabs. */
const formerTabs: Record<string, string> = { people: '/account/people', you: '/account/sign-ins', changes: '/account/audit' }

export function AccountPage({ rest }: { rest: string }) {
  const moved = rest === '' ? formerTabs[params.value.get('tab') ?? ''] : undefined
  useEffect(() => {
    if (moved) navigate(moved, 'replace')
  }, [moved])
  const section = sections.find((s) => s.path === rest)
  return (
    <>
      <p class="soft">{escapeInvisible(boot.user.email)} · {boot.user.role}</p>
      <nav class="tabs" aria-label="Account pages">
        {sections.map((s) => <a key={s.path} href={s.path ? '/account/' + s.path : '/account'} aria-current={s === section ? 'page' : undefined}>{s.name}</a>)}
      </nav>
      <div class="settings">{section ? <section.component /> : <p>There is no page at this address. Choose one above.</p>}</div>
    </>
  )
}

function SignInsAndPassword() {
  return <><SignIns /><Password /></>
}
