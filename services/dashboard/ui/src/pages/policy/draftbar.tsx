import { hasRole } from '../../role'

/** Stays in view after a replay, because the editor and its buttons are far above the result. */
export function DraftBar({ canPublish, onPublish, onDiscard }: { canPublish: boolean; onPublish: () => void; onDiscard: () => void }) {
  return (
    <div class="draftbar" role="group" aria-label="Draft">
      <span><b>This is a draft: publish or discard it.</b> The active policy has not changed.</span>
      <span class="line">
        <button type="button" class="button small" onClick={onDiscard}>Discard</button>
        {hasRole('owner') ? <button type="button" class="button main small" disabled={!canPublish} onClick={onPublish}>Publish draft…</button> : null}
      </span>
    </div>
  )
}
