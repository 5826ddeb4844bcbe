import { CopyableId, Duration, Time } from '../../components/basics'
import { RouteChip } from '../../components/route'
import { escapeInvisible } from '../../format'
import type { Request } from '../../types'

/** A request in progress beside the list. Its record follows when it ends. */
export function RunningDetail({ of: r, onClose }: { of: Request; onClose: () => void }) {
  return (
    <article class="detail" aria-label="Request in progress">
      <div class="head">
        <RouteChip kind="running" />
        <CopyableId id={r.id} />
        <button type="button" class="button small close" aria-label="Close" title="Close (Escape)" onClick={onClose}>✕</button>
      </div>
      <p class="sentence">In progress for <Duration us={r.latency_us} />{r.model ? <>: {r.model} at {r.provider} was called first</> : null}.</p>
      <p class="meta"><Time at={r.time} as="moment" /> · key <bdi>{escapeInvisible(r.key_name)}</bdi> · requested <bdi>{escapeInvisible(r.requested_model)}</bdi></p>
      <p class="soft">The decision, the cost and the content appear here when the request ends.</p>
    </article>
  )
}
