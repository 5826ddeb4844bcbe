// The rating of a response: two buttons for the signed-in user, and what else is known
// about how good the response was, with its sources.
import { useState } from 'preact/hooks'
import { callApi, refresh } from '../../api'
import { boot } from '../../boot'
import { Time } from '../../components/basics'
import { ErrorBox } from '../../components/states'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { hasRole } from '../../role'
import { showToast } from '../../toast'
import type { RequestDetail } from '../../types'
import { describeEvidence, ownRating, sourceName } from './evidence'

type Verdict = 'up' | 'down'

/** label names the section, where a page shows several. */
export function Feedback({ r, label = 'Quality of the response' }: { r: RequestDetail; label?: string }) {
  const change = useMutation()
  const own = ownRating(r.evidence, boot.user.email)
  const rate = (verdict: Verdict, reason: string) =>
    void change.run(async () => {
      const path = '/requests/' + encodeURIComponent(r.id)
      await callApi('POST', path + '/feedback', reason ? { verdict, reason } : { verdict })
      await refresh(path)
      showToast('Rating saved')
    })
  const canRate = r.model !== null && hasRole('member')
  if (!canRate && r.evidence.length === 0) return null
  return (
    <section class="feedback" aria-label={label}>
      {canRate ? (
        <div class="rate">
          <span>Was this response good?</span>
          <RateButton label="Good response" text="Good" pressed={own?.score === 1} busy={change.busy} onPress={() => rate('up', own?.reason ?? '')} />
          <RateButton label="Bad response" text="Bad" pressed={own?.score === 0} busy={change.busy} onPress={() => rate('down', own?.reason ?? '')} />
          {own ? <Reason key={own.created} text={own.reason ?? ''} busy={change.busy} onSave={(text) => rate(own.score >= 0.5 ? 'up' : 'down', text)} /> : null}
        </div>
      ) : null}
      {change.error ? <ErrorBox error={change.error} /> : null}
      {r.evidence.length > 0 ? (
        <ul class="evidence">
          {r.evidence.map((e) => (
            <li key={e.kind + e.source}>
              <b>{describeEvidence(e)}</b> <span class="soft"><bdi>{escapeInvisible(sourceName(e))}</bdi>, <Time at={e.created} as="moment" /></span>
              {e.reason ? <> <q>{escapeInvisible(e.reason)}</q></> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  )
}

function RateButton({ label, text, pressed, busy, onPress }: { label: string; text: string; pressed: boolean; busy: boolean; onPress: () => void }) {
  return (
    <button type="button" class="button small" aria-pressed={pressed} aria-label={label} title={label} disabled={busy} onClick={onPress}>
      <span aria-hidden="true">{text}</span>
    </button>
  )
}

const maxReason = 1000

function Reason({ text, busy, onSave }: { text: string; busy: boolean; onSave: (text: string) => void }) {
  const [value, setValue] = useState(text)
  return (
    <form class="reason" onSubmit={(e) => { e.preventDefault(); onSave(value.trim()) }}>
      <input type="text" aria-label="Reason" placeholder="Reason (optional)" maxLength={maxReason} value={value} onInput={(e) => setValue(e.currentTarget.value)} />
      {value.trim() !== text ? <button type="submit" class="button small" disabled={busy}>Save reason</button> : null}
    </form>
  )
}
