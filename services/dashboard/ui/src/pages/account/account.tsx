// The account: settings, users, the user's own sign-ins and password, and the
// audit log.
import { boot } from '../../boot'
import { Tabs } from '../../components/controls'
import { escapeInvisible } from '../../format'
import { params, setParams } from '../../router'
import { AuditLog } from './auditlog'
import { Invites } from './invites'
import { Settings } from './settings'
import { Password, SignIns } from './signin'
import { Users } from './users'

const tabs = [
  { id: 'settings', name: 'Settings' },
  { id: 'people', name: 'Users' },
  { id: 'you', name: 'Security' },
  { id: 'changes', name: 'Audit log' },
]

export function AccountPage() {
  const tab = tabs.find((t) => t.id === params.value.get('tab'))?.id ?? 'settings'
  return (
    <>
      <p class="soft">{escapeInvisible(boot.user.email)} · {boot.user.role}</p>
      <div><Tabs tabs={tabs} selected={tab} label="Account sections" onSelect={(id) => setParams({ tab: id === 'settings' ? null : id })}>
        <div class="settings">
          {tab === 'settings' ? <Settings /> : null}
          {tab === 'people' ? <><Users /><Invites /></> : null}
          {tab === 'you' ? <><SignIns /><Password /></> : null}
          {tab === 'changes' ? <AuditLog /> : null}
        </div>
      </Tabs></div>
    </>
  )
}
