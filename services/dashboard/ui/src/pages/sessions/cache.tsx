import { formatPercent } from '../../money'

/** How much of the input was read from a cache, as a bar and a number. */
export function CacheShare({ percent, label }: { percent: number | null; label?: string }) {
  if (percent === null) return <span class="soft">—</span>
  return (
    <span class="cacheshare" title={label}>
      <span class="bar" aria-hidden="true"><span ref={(el) => { if (el) el.style.width = `${Math.min(100, percent)}%` }} /></span>
      {formatPercent(percent)}
    </span>
  )
}
