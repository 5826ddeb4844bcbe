// The account: what it decides, who is in it, and what they changed.
import { boot } from '../../boot'
import { Tabs } from '../../components/controls'
import { visible } from '../../format'
import { params, setParams } from '../../router'
import { Changes } from './changes'
import { Invites } from './invites'
import { People } from './people'
import { Settings } from './settings'
import { Password, Sessions } from './you'

const tabs = [
  { id: 'settings', name: 'Settings' },
  { id: 'people', name: 'People' },
  { id: 'you', name: 'Your sign-in' },
  { id: 'changes', name: 'Changes' },
]

export function AccountPage() {
  const tab = tabs.find((t) => t.id === params.value.get('tab'))?.id ?? 'settings'
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>Account</h1><span class="soft">{visible(boot.user.email)} · {boot.user.role}</span></div>
      <div><Tabs tabs={tabs} chosen={tab} label="Parts of the account" onChoose={(id) => setParams({ tab: id === 'settings' ? null : id })}>
        <div class="settings">
          {tab === 'settings' ? <Settings /> : null}
          {tab === 'people' ? <><People /><Invites /></> : null}
          {tab === 'you' ? <><Sessions /><Password /></> : null}
          {tab === 'changes' ? <Changes /> : null}
        </div>
      </Tabs></div>
    </>
  )
}
