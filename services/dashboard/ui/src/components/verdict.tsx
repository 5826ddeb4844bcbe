import { formatNumbersIn, escapeInvisible } from '../format'

/** The codes of the first choice and its fallbacks. The reason text already says this, so these codes are shown only if there is no text. Older records have RESERVE for a fallback. */
const plannedCodes = ['CHOSEN', 'FALLBACK', 'RESERVE']

/** Why a candidate was chosen or excluded, followed by the code of an exclusion. */
export function VerdictText({ code, text }: { code: string; text: string }) {
  return (
    <>
      {text ? formatNumbersIn(escapeInvisible(text)) : null}
      {text && plannedCodes.includes(code) ? null : <> <span class="mono meta">{code}</span></>}
    </>
  )
}
