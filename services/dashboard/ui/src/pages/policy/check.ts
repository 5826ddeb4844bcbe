// Checks a text while the user types. The server's policy checker finds the problems.
import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../../api'
import type { ValidationResult } from './types'

/** How long a text stays unchanged before it is checked. */
const checkDelayMs = 250

export interface LiveCheck {
  /** The result for the current text; null while it is not checked. */
  now: ValidationResult | null
  /** The last result, which may be about an earlier text. While the text is not valid YAML, it has the last known rules. */
  last: ValidationResult | null
  /** Shows the rules of a text before the text is checked. */
  showRules: (rules: ValidationResult['rules']) => void
}

/** Whether the text is valid YAML, so that its rules are known. */
const isReadable = (r: ValidationResult): boolean => r.rules.length > 0 || !r.problems.some((p) => p.code === 'SYNTAX')

/** Checks the text whenever it changes. null is not checked. A failed call is repeated with the next change. */
export function useLiveCheck(text: string | null): LiveCheck {
  const [done, setDone] = useState<{ text: string | null; result: ValidationResult } | null>(null)
  useEffect(() => {
    if (text === null) return setDone(null)
    const abort = new AbortController()
    const check = () => callApi<ValidationResult>('POST', '/policy/validate', { document: text }, abort.signal).then((result) => setDone((d) => ({ text, result: { ...result, rules: isReadable(result) ? result.rules : (d?.result.rules ?? []) } })), () => {})
    const timer = setTimeout(check, checkDelayMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  return {
    now: done && done.text === text ? done.result : null, last: done?.result ?? null,
    showRules: (rules) => setDone((d) => ({ text: null, result: { problems: [], version: '', ...d?.result, rules } })),
  }
}
