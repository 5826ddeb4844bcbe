import { useRef, useState } from 'preact/hooks'
import { formatDateTime, setUTC, utc, zoneName } from '../format'
import { currentRange, parseRange, parseSeconds, rangeNames, rangePresets, setRange } from '../range'
import { useShortcuts } from '../shortcuts'
import { Field, Popover } from './controls'

/** Selects the time range of the page. */
export function RangePicker({ defaultRange = '24h' }: { defaultRange?: string }) {
  const r = currentRange(defaultRange)
  const name = rangeNames[r.text] ?? (parseSeconds(r.text) !== null ? `Last ${r.text}` : `${formatDateTime(r.from)} – ${r.to ? formatDateTime(r.to) : 'now'}`)
  const contentRef = useRef<HTMLDivElement>(null)
  const panel = () => contentRef.current!.parentElement!
  const set = (text: string) => {
    panel().hidePopover()
    setRange(text, defaultRange)
  }
  useShortcuts([
    { key: 't', description: 'Choose a time range', run: () => panel().showPopover() },
    { key: 'u', description: 'Switch between UTC and local time', run: () => setUTC(!utc.value) },
  ])
  return (
    <Popover label={name} name={`Range: ${name}`}>
      <div class="stack" ref={contentRef}>
        <div class="menu" role="group" aria-label="Ranges">
          {rangePresets.map((p) => (
            <button key={p} type="button" aria-pressed={p === r.text} autofocus={p === r.text} onClick={() => set(p)}>{rangeNames[p]}</button>
          ))}
        </div>
        <CustomRange text={r.text} onSet={set} />
        <label class="check">
          <input type="checkbox" checked={utc.value} onChange={(e) => setUTC(e.currentTarget.checked)} /> Show times in UTC (time zone in use: {zoneName()})
        </label>
      </div>
    </Popover>
  )
}

function CustomRange({ text, onSet }: { text: string; onSet: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const [error, setError] = useState('')
  const set = (e: Event) => {
    e.preventDefault()
    if (parseRange(typed).text !== typed) setError('Enter a duration such as 2h or 3d, or a range such as 2026-11-01T00:00Z..2026-11-02T00:00Z.')
    else {
      setError('')
      onSet(typed)
    }
  }
  return (
    <form class="stack" onSubmit={set}>
      <Field label="Custom range" hint="Examples: 45m, 2h, 3d, 2026-11-01..2026-11-02" error={error || undefined}>
        {(c) => <input {...c} type="text" value={typed} onInput={(e) => setTyped(e.currentTarget.value)} />}
      </Field>
      <button class="button" type="submit">Apply</button>
    </form>
  )
}
